"""Long steps with a certificate: p(t + h) in about √(qh) products instead of qh.

stepper   one step, and what is proved of it
weights   of the Chebyshev polynomials, at a time and added up over one
path      how long the steps are, from one time to later ones; the time spent on the way
"""
