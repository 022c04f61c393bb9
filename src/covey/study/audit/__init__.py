"""What logs say without a model, and whether they say what a model does.

count_log    counts at times, of any program; as many runs as there are
windows      runs side by side: one length, one clock; a long run cut into blocks
features     what a run looks like, in numbers
classifiers  telling two kinds of runs apart: logistic regression, transitions, boosting
log_audit    two logs: how well they can be told apart at least
feed_audit   a published feed: whether it is that of its reference
"""
