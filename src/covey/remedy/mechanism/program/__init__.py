"""The linear program whose solution is the table that costs least.

linear_program  what it is, and the bound on what any table costs, by weak duality
solver          which of the two solves it
all_entries     with every entry, by HiGHS, where these are few
few_entries     with some of them, and more until the bound is met
interior_point  the method that solves that, on blocks: one for each value that may be published
lower_bound     the bound over values that the program did not look at
"""
