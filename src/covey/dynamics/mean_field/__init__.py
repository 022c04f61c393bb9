"""The team as smoothly varying amounts.

rate_equations  over time
equilibrium     at rest, of complex-balanced networks
"""
