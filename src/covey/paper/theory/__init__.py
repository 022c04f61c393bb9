"""What the paper proves, says on its way, or takes for granted.

theory       propositions, put to the test
foundations  the model, privacy, and the methods
motivating   the motivating example
"""
