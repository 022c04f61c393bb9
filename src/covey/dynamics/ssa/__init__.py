"""Exact sample paths: the stochastic simulation algorithm.

simulation  paths, and where they end
tables      a network as the compiled loops read it
"""
