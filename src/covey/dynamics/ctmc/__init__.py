"""The continuous-time Markov chain: dp/dt = K p.

generator            K from a network and its states
propensity           how often each reaction happens, in every state
rate_law_rounding    how far rounding may take rate laws
rate_table           the distinct rates of a large chain, numbered
transition_pattern   the transitions laid out once, for any rates
row_groups           the rows of K by eights, for SIMD
uniformization       p(t), every probability with a relative bound
poisson_weights      the weights of its sum
chebyshev            long steps with a certificate, by chebyshev_weights
extrapolation        the rest of a power sequence from a few of its vectors
squaring             p(t) of a small stiff chain
propagator           exp(KΔ) as a matrix, whole rows
relative_propagator  the same with a relative bound on every entry
occupation           the share of a span spent in each state
"""
