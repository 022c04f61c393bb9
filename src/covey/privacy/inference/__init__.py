"""What an observer believes.

posterior    after one snapshot
evidence     what was seen, and is known besides
watch        after every line of a feed; series reads it
audit        what samples prove to be given away, by distinguishing_events
"""
