# The settings that tabquake tune has tried: failover p99 against what it costs.
#
# tabquake tune --out DIR puts the lines that this needs in front of it, as DIR/tune.gp, and
# has gnuplot draw DIR/tune.svg from DIR/tune.tsv; `cd DIR && gnuplot tune.gp` draws it again.
#
#     table = "tune.tsv"          picture = "tune.svg"       (gnuplot_begin)
#     title = "..."               limit = 2.0      the contract's failoverP99 in seconds
#
# Left: against needless steals. Right: against the ledger's load. Filled: on the frontier of
# all three. Ringed: the contract as it stands. Grey cross: an invariant broke. A bar is the
# 95% interval.
set terminal svg size 1200,600 font "sans-serif,13" background "#ffffff"
set output picture
set datafile separator tab
set datafile missing "-"
set multiplot layout 1,2 title title font ",14"
set border 3 linecolor "#444444"
set tics nomirror
set grid linecolor "#e4e4e4"
set offsets 0, 0, graph 0.1, graph 0.1
set key outside bottom center horizontal samplen 1.5 maxrows 1 font ",11"
set ylabel "failover p99, s"
set samples 2

s(name) = column(name) / 1000.0
is(name) = column(name) == 1
on(name) = column("violations") > 0 ? NaN : is("frontier") ? column(name) : NaN
off(name) = column("violations") > 0 ? NaN : is("frontier") ? NaN : column(name)
broken(name) = column("violations") > 0 ? column(name) : NaN
own(name) = is("contract") ? column(name) : NaN

do for [axis in "needless_percent requests_per_leader_s"] {
    set xlabel axis eq "needless_percent" ? "needless steals, % of transitions" \
                                          : "requests at the ledger in a second of leading"
    stats table using (column(axis)) name "X" nooutput
    span = X_max > X_min ? X_max - X_min : X_max > 0 ? X_max : 1
    set xrange [X_min - 0.08 * span : X_max + 0.24 * span]
    plot limit with lines linecolor "#b3261e" dashtype 2 title "contract's limit", \
         table using axis:(s("p99_ms")):(s("p99_low_ms")):(s("p99_high_ms")) \
             with yerrorbars pointtype 0 linecolor "#b0b0b0" notitle, \
         table using (off(axis)):(s("p99_ms")) \
             with points pointtype 6 pointsize 0.7 linecolor "#5f6b7a" title "beaten", \
         table using (on(axis)):(s("p99_ms")) \
             with points pointtype 7 pointsize 0.7 linecolor "#1458b8" title "frontier", \
         table using (broken(axis)):(s("p99_ms")) \
             with points pointtype 2 pointsize 0.9 linecolor "#707070" title "broken", \
         table using (own(axis)):(s("p99_ms")) \
             with points pointtype 6 pointsize 1.6 linewidth 2 linecolor "#d08000" title "contract", \
         table using axis:(s("p99_ms")):"label" \
             with labels left offset character 0.9,0 font ",9" textcolor "#333333" notitle
}
unset multiplot
