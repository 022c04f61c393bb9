"""What an observer gets: what can be seen, when, and what is published of it.

query             disjoint or overlapping sums of species; observed_sum is one of them
adversary         who looks, and when
probe             what somebody does to the team to see how it answers
release           what is published, and how often
release_table     a table to publish through
stand_in_release  a reference team that is published in place of the real one
"""
