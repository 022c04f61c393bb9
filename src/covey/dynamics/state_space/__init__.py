"""Which states a team can be in.

state_index       how states are numbered: every state's key, and the number of any of them
enumeration       the reachable states
truncated_chain   the chain on some of the states, and what leaves them
conserved_points  what the conservation laws allow, listed by a budget
relabelling       permutations of the types that leave a network as it is
symmetry          one state for each orbit of them
merging           types that differ by their names only, as one
"""
