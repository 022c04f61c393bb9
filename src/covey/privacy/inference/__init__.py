"""What an observer believes.

posterior    after one snapshot
evidence     what was seen, and is known besides
watch        after every line of a feed; series reads it; change_watch where every change is seen
hidden_state where robots are, the team being known
audit        what samples prove to be given away, by distinguishing_events

certainty/   how long until they are sure
estimate/    of the model's numbers, after many snapshots
"""
