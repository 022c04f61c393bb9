"""Where a chain is in the end: K p = 0.

limit                  the limit from a start
irreducible            one closed class: equations, sweeps with a certificate, or elimination
equations              few states as one system of equations
aggregation            sweeps that weigh groups of states, which are hardly ever left
flow_tree              those groups, and what a balance of the flows between them proves
sweeps                 Gauss-Seidel with extrapolation, in numbers of any depth
elimination            GTH, in numbers that do not underflow: few states as one matrix,
fronts                 many part by part,
dissection             in an order that makes few new transitions
band                   another order, for equations that are solved in doubles
spanning_trees         the sums that a distribution is made of
communicating_classes  what leads to what, and the closed classes
absorption             the probability of ending in each of them
"""
