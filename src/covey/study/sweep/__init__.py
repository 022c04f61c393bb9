"""Sweeps: one number for every cell of a grid of scenarios, and nothing lost on the way."""
