"""Streams of teams too large to be filtered.

normal_approximation  the linear noise model's figures, and the bounds beside them
proved_bounds         bounds with a stated confidence, from paths of both teams
lumped_teams          a team and a neighbour, one of which has a robot that passes for another type
simulated_paths       where paths begin and how many are drawn
"""
