"""What an observer believes.

posterior    after one snapshot
evidence     what was seen, and is known besides
watch        after every line of a feed; series reads it; change_watch where every change is seen
certainty    how long until they are sure
hidden_state where robots are, the team being known
estimate     of the model's numbers, after many snapshots: grid and estimate_problem say what is not
             known, followed and fisher find it, credible and estimated say how near
audit        what samples prove to be given away, by distinguishing_events
"""
