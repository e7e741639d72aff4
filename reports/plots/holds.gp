# How long the leader lock is held in the background: the share that is longer than a time.
#
# A report puts the lines that this needs in front of it, as plots/holds.gp, and has gnuplot
# draw plots/holds.svg from plots/holds.tsv; `cd plots && gnuplot holds.gp` draws it again.
#
#     table = "holds.tsv"        time in s, share that is longer
#     picture = "holds.svg"
#     max_hold = 30.0            the contract's maxHold in seconds
set terminal svg size 960,360 dynamic noenhanced name "holds" \
    font "sans-serif,13" background "#ffffff"
set output picture
set datafile separator tab
set border 3 linecolor "#444444"
set tics nomirror textcolor "#444444"
set grid linecolor "#e4e4e4" linetype 1 linewidth 0.6
set logscale xy
set xlabel "held in the background, s" textcolor "#444444"
set ylabel "share that lasts longer" textcolor "#444444"
set format y "%g"
unset key
stats table index 0 using (column(1) > 0 ? column(1) : NaN) name "X" nooutput
stats table index 0 using (column(2) > 0 ? column(2) : NaN) name "Y" nooutput
# of a single sample there is no share that is longer
if (!exists("X_min")) X_min = X_max = 0.01
if (!exists("Y_min")) Y_min = 0.001
set xrange [X_min > 0.01 ? X_min : 0.01 : X_max > 1.5 * max_hold ? X_max : 1.5 * max_hold]
set yrange [0.7 * Y_min : 1]
set arrow 1 from max_hold, graph 0 to max_hold, graph 1 nohead linecolor "#b3261e" dashtype 2
set label 1 "maxHold" at max_hold, graph 0.96 right offset -0.6, 0 textcolor "#b3261e" font ",11"
plot table index 0 using 1:(column(2) > 0 ? column(2) : NaN) \
         with lines linecolor "#1458b8" linewidth 2
