"""What a watcher comes to know of the model's numbers, after many snapshots.

estimate, estimated     the question and its answer
grid, estimate_problem  what is not known
followed, fisher        how the belief moves: followed exactly, or by the information of a snapshot
credible                how near: the shortest set that holds the truth
"""
