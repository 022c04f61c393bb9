"""What `covey publish` does.

tables     through a table: one observation, or a feed of them
stand_ins  by a stand-in, fed with the events of the team
robots     the same, fed with what robots say of themselves
"""
