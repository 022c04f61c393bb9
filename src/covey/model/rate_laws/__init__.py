"""Rates as functions of the counts.

rate_law       one of them
term           what it is made of, and how that is written
text           how it is read
words          what its names mean
condition      comparisons of counts, in the same words: where they hold
program        the steps that every method does
control        reactions throttled by what is visible; control_table reads [control]
"""
