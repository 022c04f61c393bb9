"""The only compiled code: arrays in, arrays out, imported by large problems alone.

rows           a chain as compiled code reads it
sparse_rows    state tables, sweeps, reachability
grouped_rows   products of eight rows at a time, by simd_sum and row_grouping
truncated      truncated chains
elimination    GTH with exponents, in the order of dissection
flow_tree      a certificate by flows along a spanning tree
convolution    sums of independent robots

sampling/      sample paths, and filters along them
coupling/      two chains that move together
"""
