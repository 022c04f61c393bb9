"""Robots that move independently: sums of multinomials, at any time and for any number.

closed_form            the distribution of what is seen
one_robot              where one robot is, or how many have arrived
observed_robots        what is seen of them
convolution            sums of many
truncated_convolution  of very many, within bounds by chernoff
arriving_robot         one robot more in a settled fleet, at all its ages
"""
