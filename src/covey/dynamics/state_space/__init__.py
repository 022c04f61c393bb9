"""Which states a team can be in.

enumeration       the reachable states, numbered, and the number of any of them
conserved_points  what the conservation laws allow, listed by a budget
relabelling       permutations of the types that leave a network as it is
symmetry          one state for each orbit of them
merging           types that differ by their names only, as one
"""
