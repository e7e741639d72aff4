# How long failovers take: the share that is longer than a time, both axes logarithmic.
#
# A report puts the lines that this needs in front of it, as plots/failover.gp, and has gnuplot
# draw plots/failover.svg from plots/failover.tsv; `cd plots && gnuplot failover.gp` draws it again.
#
#     table = "failover.tsv"     time in s, share that is longer; two blocks: eligible, raw
#     picture = "failover.svg"
#     limit = 2.0                the contract's failoverP99 in seconds
#     low, high                  95% interval of p99 in seconds; 0: there is none
#
# The curve of eligible time has to pass under the crossing of the two red lines.
set terminal svg size 960,440 dynamic noenhanced name "failover" \
    font "sans-serif,13" background "#ffffff"
set output picture
set datafile separator tab
set border 3 linecolor "#444444"
set tics nomirror textcolor "#444444"
set grid linecolor "#e4e4e4" linetype 1 linewidth 0.6
set logscale xy
set xlabel "failover, s" textcolor "#444444"
set ylabel "share that takes longer" textcolor "#444444"
set format y "%g"
set key bottom left Left reverse textcolor "#444444" samplen 2
stats table index 0 using (column(1) > 0 ? column(1) : NaN) name "X" nooutput
stats table index 0 using (column(2) > 0 ? column(2) : NaN) name "Y" nooutput
stats table index 1 using (column(1) > 0 ? column(1) : NaN) name "R" nooutput
# of a single sample there is no share that is longer
if (!exists("X_min")) X_min = X_max = 0.01
if (!exists("Y_min")) Y_min = 0.001
if (!exists("R_max")) R_max = X_max
first = X_min > 0.01 ? X_min : 0.01
last = R_max > 1.3 * limit ? R_max : 1.3 * limit
set xrange [first : last]
set yrange [0.7 * Y_min : 1]
if (high > 0) set object 1 rectangle from low, graph 0 to high, graph 1 \
    fillcolor "#cfe0f7" fillstyle solid noborder behind
set arrow 1 from limit, graph 0 to limit, graph 1 nohead linecolor "#b3261e" dashtype 2
set arrow 2 from graph 0, first 0.01 to graph 1, first 0.01 nohead linecolor "#b3261e" dashtype 3
set label 1 "limit of p99" at limit, graph 0.97 offset 0.6, 0 textcolor "#b3261e" font ",11"
set label 2 "1%" at graph 0.995, first 0.01 right offset 0, 0.5 textcolor "#b3261e" font ",11"
plot table index 1 using 1:(column(2) > 0 ? column(2) : NaN) \
         with lines linecolor "#8a94a3" linewidth 1.4 title "raw: the whole gap", \
     table index 0 using 1:(column(2) > 0 ? column(2) : NaN) \
         with lines linecolor "#1458b8" linewidth 2 title "eligible: what is judged", \
     NaN with boxes fillstyle solid noborder linecolor "#cfe0f7" \
         title high > 0 ? "95% interval of p99" : ""
