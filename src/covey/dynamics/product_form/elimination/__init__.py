"""Summing a product form over one species at a time, without listing the states.

`lumped_lattice` says which states there are, `box` how much of them is followed, `order` which
species goes next, `table` and `rows` hold what is summed so far, `convolve` runs it.
"""
