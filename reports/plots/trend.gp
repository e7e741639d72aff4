# Failover p50 and p99 with its 95% interval, run by run.
#
# A report of several runs puts the lines that this needs in front of it, as plots/trend.gp, and
# has gnuplot draw plots/trend.svg from plots/trend.tsv; `cd plots && gnuplot trend.gp` again.
#
#     table = "trend.tsv"        columns run, revision, p50, p99, low, high; in seconds
#     picture = "trend.svg"
#     limit = 2.0                the last run's failoverP99 in seconds
set terminal svg size 960,340 dynamic noenhanced name "trend" \
    font "sans-serif,13" background "#ffffff"
set output picture
set datafile separator tab
set datafile missing "-"
set border 3 linecolor "#444444"
set tics nomirror textcolor "#444444"
set grid ytics linecolor "#e4e4e4" linetype 1 linewidth 0.6
set offsets 0.4, 0.4, graph 0.1, 0
set yrange [0 : *]
set ylabel "failover, s" textcolor "#444444"
set key outside top center horizontal textcolor "#444444" samplen 2
stats table using 1 skip 1 name "R" nooutput
set xtics rotate by (R_records > 8 ? 40 : 0) right
if (R_records <= 8) set xtics norotate center
plot limit with lines linecolor "#b3261e" dashtype 2 title "limit of p99", \
     table using 1:3 skip 1 with linespoints pointtype 6 pointsize 0.7 \
         linecolor "#5f6b7a" title "p50", \
     table using 1:4:xtic(2) skip 1 with lines linecolor "#1458b8" notitle, \
     table using 1:4:5:6 skip 1 with yerrorbars pointtype 7 pointsize 0.8 \
         linecolor "#1458b8" linewidth 2 title "p99 with its 95% interval"
