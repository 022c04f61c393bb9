"""Where a chain is in the end: K p = 0.

limit        the limit from a start
irreducible  one closed class: sweeps with a certificate, or elimination
elimination  GTH, in numbers that do not underflow
absorption   closed classes, and the probability of ending in each
"""
