"""What a watched chain shows: hidden Markov models.

hidden_markov       the chain as snapshots a step apart see it
forward_filter      the state given what was seen so far
joint_distribution  of several snapshots of one path; probed_distribution of an observer who acts
likelihood_ratio    of two teams, along many sampled paths
lumped_ratio        the same of all that happens, where one robot passes for another type
continuous_watch    every change with its time, where nothing is missed, on a visible_chain;
                    drawn_changes are those of sampled paths
kalman              the same for large teams, taken to be normal
"""
