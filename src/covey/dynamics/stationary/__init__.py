"""Where a chain is in the end: K p = 0.

limit                  the limit from a start
irreducible            one closed class: by sweeps with a certificate, or by elimination
sweeps                 Gauss-Seidel with extrapolation, in numbers of any depth
elimination            GTH, in numbers that do not underflow
communicating_classes  what leads to what, and the closed classes
absorption             the probability of ending in each of them
"""
