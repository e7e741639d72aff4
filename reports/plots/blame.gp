# How probable the violation of one round was, from event to event.
#
# tabquake blame --out DIR puts the lines that this needs in front of it, as DIR/blame.gp, and
# has gnuplot draw DIR/blame.svg from DIR/blame.tsv; `cd DIR && gnuplot blame.gp` draws it again.
#
#     table = "blame.tsv"         picture = "blame.svg"       (gnuplot_begin)
#     title = "..."               jump = 655      the event that decided
#
# The line is the share of re-draws from an event on that broke the invariant, the band its 95%
# interval.
set terminal svg size 900,420 font "sans-serif,13" background "#ffffff"
set output picture
set datafile separator tab
set title title font ",14"
set border 3 linecolor "#444444"
set tics nomirror
set grid linecolor "#e4e4e4"
set key off
set xlabel "drawn anew from event"
set ylabel "rounds that break it, %"
set yrange [0:105]
set offsets graph 0.02, graph 0.02, 0, 0
set arrow from jump, graph 0 to jump, graph 1 nohead linecolor "#b3261e" dashtype 2
set label sprintf("event %d", jump) at jump, graph 0.97 offset character 0.6,0 \
    font ",11" textcolor "#b3261e"
plot table using "event":"low":"high" with filledcurves fillcolor "#d6e2f4", \
     table using "event":"percent" with linespoints linecolor "#1458b8" linewidth 1.5 \
         pointtype 7 pointsize 0.3
