"""The stand-in: a public reference team that moves along with the real one, published instead.

pairs        states of the real team and of the reference side by side, and the chain of both
coupling     which moves they make together: by a potential, or the best by policy iteration
poisson_equation  what lies ahead of each state of a chain
price        what a stand-in costs, exactly or by simulation, and what nothing can cost less than
pricing      prices of one reference for several real teams
best         which reference of a public set of teams costs least
misfit       what can be learnt at most where the rates are not quite right
stand_in     making one: `covey.stand_in`
stand_in_file  one as JSON
coupled_team  the real team of a publisher: its coupling, its paths between two states
coupled_publisher  event by event or state by state, from what the fleet does to what is published
draws        random numbers of the operating system
pair_file    both as JSON, for a restart
feed_lines   lines of events and states
stand_in_feed  such lines in, what is published out, by the times of a log or the wall's clock
"""
