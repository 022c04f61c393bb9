"""The stand-in: a public reference team that moves along with the real one, published instead.

pairs        states of the real team and of the reference side by side, and the chain of both
coupling     which moves they make together: by a potential, or the best by policy iteration
difference   the same for teams of any size, by a potential of how far both are apart
poisson_equation  what lies ahead of each state of a chain
price        what a stand-in costs, exactly or by simulation, and what nothing can cost less than
pricing      prices of one reference for several real teams
best         which reference of a public set of teams costs least
misfit       what can be learnt at most where the rates are not quite right
stand_in     making one: `covey.stand_in`
one_away     what it costs where the team is one robot off
walk         a pair on its way, as compiled code reads it

publishing/  from what the fleet does to what is published
"""
