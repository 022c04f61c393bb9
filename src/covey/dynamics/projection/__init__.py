"""Finite state projection: p(t) on the states that carry it, with a bound on all others.

finite_state_projection  the method
linear_noise             mean and covariance, by which states are chosen
level_set                the states that are not too improbable
time_segments            the way to the times asked for, cut into parts
lower_bound              its distribution, carried on from below
"""
