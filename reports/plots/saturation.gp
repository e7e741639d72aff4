# Saturation: how many distinct abstract states were reached after so many rounds.
#
# A report puts the lines that this needs in front of it, as plots/saturation.gp, and has gnuplot
# draw plots/saturation.svg from plots/saturation.tsv; `cd plots && gnuplot saturation.gp` again.
#
#     table = "saturation.tsv"   rounds, states
#     picture = "saturation.svg"
#
# A curve that has become flat says that more rounds of the same kind show little new.
set terminal svg size 960,340 dynamic noenhanced name "saturation" \
    font "sans-serif,13" background "#ffffff"
set output picture
set datafile separator tab
set border 3 linecolor "#444444"
set tics nomirror textcolor "#444444"
set grid linecolor "#e4e4e4" linetype 1 linewidth 0.6
set logscale x
set format x "%.0f"
set yrange [0 : *]
set xlabel "rounds" textcolor "#444444"
set ylabel "distinct abstract states" textcolor "#444444"
unset key
plot table using 1:2 with linespoints linecolor "#1458b8" linewidth 2 pointtype 7 pointsize 0.5
