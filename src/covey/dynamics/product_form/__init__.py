"""Complex-balanced networks: the steady state as a product of Poisson weights.

product_form       the closed form of a network
capped_form        that of one with limits as rate laws
slow_sums          which of them would take too long
truncation         over which counts it is summed
many_teams         many teams at once
conditional_means  what is there on average where something is seen
sensitivities      how it changes with the rates
elimination/       the sums, one species at a time
"""
