"""The methods, each a value in a file of its own: can it, on how many states, compute.

method                what every one is: a plan, or why not; and the distributions that were planned
product_form          closed form of complex-balanced networks, steady
linear                robots that move independently, at a time or steady
transient             uniformisation on every state, at a time
projection            finite state projection, at a time
stationary            K p = 0 on every state
truncated_stationary  steady, on the states that carry the probability; proves the rest small
timetable             phase after phase, where rates follow a timetable
"""
