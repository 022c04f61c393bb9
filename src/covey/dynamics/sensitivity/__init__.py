"""How distributions change with the rates: d/d ln κ.

distribution_derivatives  by whatever method computed them
chain_derivatives         of a chain, in one pass for all rates
propagator_adjoint        of exp(Qt) at several times, backwards
"""
