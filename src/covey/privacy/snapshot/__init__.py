"""What one snapshot gives away.

output_distributions  of a team and of every neighbour, each computed once
leakage               the worst log-ratio, and the headline
comparison            that of two distributions, with bounds
profile               (ε, δ), total variation, Rényi; pair_profile of one pair
divergences           between two distributions
bayes_success         how often the best guess is right
channel, published    a noisy observer; what a mechanism lets through
groups                several robots at once
composition           independent missions
arriving              fleets that robots come to and leave
sensitivities         how all that changes with the rates
exposed, paper_index
"""
