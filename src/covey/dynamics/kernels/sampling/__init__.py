"""Sample paths, compiled.

ssa            simulation
paths          filters along sampled paths, on path_tables
lumped_paths   likelihood ratios of simulated paths, on lumped_tables
"""
