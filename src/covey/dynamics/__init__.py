"""How the team moves: from a network and a start to the probability of every state.

solver       one prepared problem for each network: plans, and distributions
planner      the methods in the order of their merit: the first that can is the plan, and computes
limits       how to compute: method, states, tolerance
validation   starts and times, checked
solve        one question: a solver is prepared, asked and dropped
distribution outcomes with their probabilities and the bound on their error
prepared_network   what is found of a network once: closed forms, chains, proofs
chain        states, generator and what is seen of them
phases       the chains of every phase of a timetable, and periodic steady states
expectation  mean counts and rates; mean_counts, cheaply, for a first look; expected_measures,
             those of [performance]
first_passage   when something is there for the first time
memory       how much there is, read before any is taken
threads      the cores of this machine, shared

methods/     one file a method: can it, on how many states, compute
state_space/ which states there are, and which are alike
ctmc/        the Markov chain on them, and its distribution at a time
stationary/  its limit: sweeps, elimination, where it ends
projection/  at a time, on the states that carry the probability
ergodicity/  that a chain with too many states settles, and its limit on some of them
product_form/, monomolecular/   closed forms
hmm/         what a watched chain shows
ssa/, mean_field/, sensitivity/
kernels/     the only compiled code
"""
