"""That a chain with very many or infinitely many states has a steady state, by proof.

certificate           the proof for one start, put together
lyapunov              a drift condition (Foster-Lyapunov)
falling_polynomials   the polynomials it is made of
truncated_stationary  the steady state on some states, with a bound on all others
relaxation_time       how long the mean field takes to settle: a guess, never a proof
"""
