"""How long until an observer is sure.

certainty        the question and its answer
posterior_paths  what is believed along paths that are drawn of every hypothesis
sure_of          what that says, bounded
"""
