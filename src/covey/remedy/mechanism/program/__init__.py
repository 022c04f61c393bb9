"""The linear program whose solution is the table that costs least.

linear_program  what it is, which of its entries are looked at, and the bound by weak duality
blocks          its matrix, a block for each value that may be published
interior_point  the method that solves it
lower_bound     the bound over values that the program did not look at
"""
