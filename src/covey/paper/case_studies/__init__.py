"""The paper's studies, each with its claims.

collaboration  three types that collaborate
tasks          tasks that need one robot of each type, by task_distributions
trees          all binary trees, by tree_leakage and tree_shapes
groups         random rates on one tree
settings       which settings give the paper's correlations
"""
