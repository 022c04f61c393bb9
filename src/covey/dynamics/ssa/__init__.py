"""Exact sample paths: the stochastic simulation algorithm.

simulation  paths, and where they end
bridge      the path between two states that are known, drawn
tables      a network as the compiled loops read it
"""
