"""What a network's wiring says, whatever the team.

structure           all of it, each found once
conservation        what no reaction changes
complex_balance     a point with A ψ(c) = 0
capacities          rate laws that confine a reversible network
collaboration_dag   compounds built in exactly one way
elementary_species  what everything falls apart into
reachability        how many states there are: state_count, count_bounds
exact_algebra       rank and kernel in whole numbers
finding             a yes or a no with its reason
"""
