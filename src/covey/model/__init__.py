"""What it is: networks, teams, queries and scenarios, in whole numbers.

network, reaction, complex, species
                             the reaction network; rate: what stands after the @
stoichiometry                the same in matrices: M, A, Γ, ψ
stages, timetable            times that are not exponential; rates that change over the day
team                         how many robots of each type, and its neighbours
secret                       what must not be learnt, and of which public set of teams
scenario                     all of it together; membership says whether it fits
following, tagged_network    the same with one robot that somebody follows
performance                  what the team achieves
arrivals                     who comes and goes
varied                       the numbers that may be chosen

observation/ what can be seen, when and by whom, and what is published of it
structure/   what the wiring alone says
rate_laws/   rates as functions of the counts
families/    lines that stand for many
io/          scenario files and other formats
"""
