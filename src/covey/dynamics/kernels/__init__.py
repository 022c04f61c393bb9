"""The only compiled code: arrays in, arrays out, imported by large problems alone.

rows           a chain as compiled code reads it
sparse_rows    state tables, sweeps, reachability
grouped_rows   products of eight rows at a time, by simd_sum and row_grouping
truncated      truncated chains
elimination    GTH with exponents
convolution    sums of independent robots
paths          filters along sampled paths, on path_tables
ssa            simulation
lumped_paths   likelihood ratios of simulated paths, on lumped_tables
transport      the small transport problem that couples two chains
pair_coupling  which moves two chains make together where they are; difference_policy: a potential
coupled_paths  the path of both
"""
