"""Lines that stand for many reactions or sums.

family      reactions
sum_family  what is seen
binding     for which words, of which word_sets
"""
