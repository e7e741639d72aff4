# Coverage: how often each fault took effect in each phase of the leader.
#
# A report puts the lines that this needs in front of it, as plots/coverage.gp, and has gnuplot
# draw plots/coverage.svg from plots/coverage.tsv; `cd plots && gnuplot coverage.gp` draws it again.
#
#     table = "coverage.tsv"     columns fault, phase, hits; "-" is a cell that cannot be
#     picture = "coverage.svg"
#     faults, phases             how many there are
#
# Red: a cell that could be hit and was not. Blank: it cannot be.
set terminal svg size 960,(170 + 17 * faults) dynamic noenhanced name "coverage" \
    font "sans-serif,12" background "#ffffff"
set output picture
set datafile separator tab
set datafile missing "-"
unset border
unset key
set tics scale 0 textcolor "#444444"
set xrange [-0.5 : phases - 0.5]
set yrange [faults - 0.5 : -0.5]
set xtics rotate by 40 right
set palette defined (0 "#b3261e", 0.001 "#e8f0fb", 1 "#a9c8f2", 2 "#5f96dc", 3 "#1458b8", \
    5 "#0a2d63")
set cbrange [0 : 5]
set cbtics ("0" 0, "10" 1, "100" 2, "1,000" 3, "10,000" 4, "100,000" 5)
set cblabel "effective hits" textcolor "#444444"
shade(hits) = hits < 1 ? 0 : 0.01 + log10(hits)
plot table using (int(column(0)) % phases):(int(column(0)) / phases):(shade(column(3))) \
         :xtic(2):ytic(1) skip 1 with image pixels
