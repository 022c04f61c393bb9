"""The continuous-time Markov chain: dp/dt = K p.

generator            K, its one constructor, and its products
transitions          what they are for a network and its states, also at other rates
propensity           how often each reaction happens, in every state
rate_law_rounding    how far rounding may take rate laws
rate_table           the distinct rates of a large chain, numbered
row_groups           the rows of K by groups of eight, for SIMD
uniformized_chain    P = I + K/q and its terms v_k, which everything in time is a sum of
poisson_weights      the weights of such sums
uniformization       p(t), every probability with a relative bound
chebyshev/           long steps with a certificate
extrapolation        the rest of a power sequence from a few of its vectors
squaring             p(t) of a small stiff chain
propagator           exp(Kt) as a matrix: bounds of every entry, or of whole rows
occupation           the share of a span spent in each state
"""
