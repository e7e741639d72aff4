# Failover by cause: p50, p90, p99 with its 95% interval, p99.9 and the longest, on one line each.
#
# A report puts the lines that this needs in front of it, as plots/causes.gp, and has gnuplot
# draw plots/causes.svg from plots/causes.tsv; `cd plots && gnuplot causes.gp` draws it again.
#
#     table = "causes.tsv"       columns what, n, p50, p90, p99, 999, low, high, max; in seconds
#     picture = "causes.svg"
#     limit = 2.0                the contract's failoverP99 in seconds
set datafile separator tab
set datafile missing "-"
stats table using 3 skip 1 name "N" nooutput
rows = N_records
# a time of zero has no place on a logarithmic axis: it is left out
stats table using (column(3) > 0 ? column(3) : NaN) skip 1 name "X" nooutput
stats table using 9 skip 1 name "M" nooutput
first = exists("X_min") && X_min > 0 && X_min < 0.01 ? X_min : 0.01
last = exists("M_max") && M_max > 1.3 * limit ? M_max : 1.3 * limit
if (last <= first) last = 10 * first
set terminal svg size 960,(90 + 26 * rows) dynamic noenhanced name "causes" \
    font "sans-serif,13" background "#ffffff"
set output picture
set border 1 linecolor "#444444"
set tics nomirror textcolor "#444444"
set ytics scale 0
set grid xtics linecolor "#e4e4e4" linetype 1 linewidth 0.6
set logscale x
set xrange [first : last]
set xlabel "failover, s" textcolor "#444444"
set yrange [-0.7 : rows - 0.3]
set offsets 0, 0, 0, 0
set key outside top center horizontal maxrows 1 textcolor "#444444" samplen 1 font ",11"
set arrow 1 from limit, graph 0 to limit, graph 1 nohead linecolor "#b3261e" dashtype 2
plot table using 3:0:3:9:ytic(1) skip 1 with xerrorbars pointtype 0 \
         linecolor "#d4d9e0" linewidth 2 notitle, \
     table using 5:0:7:8 skip 1 with xerrorbars pointtype 0 \
         linecolor "#1458b8" linewidth 5 title "95% interval of p99", \
     table using 3:0 skip 1 with points pointtype 6 pointsize 0.7 \
         linecolor "#5f6b7a" title "p50", \
     table using 4:0 skip 1 with points pointtype 7 pointsize 0.6 \
         linecolor "#5f6b7a" title "p90", \
     table using 5:0 skip 1 with points pointtype 7 pointsize 0.8 \
         linecolor "#1458b8" title "p99", \
     table using 6:0 skip 1 with points pointtype 9 pointsize 0.8 \
         linecolor "#d08000" title "p99.9", \
     table using 9:0 skip 1 with points pointtype 2 pointsize 0.6 \
         linecolor "#707070" title "longest that ended"
