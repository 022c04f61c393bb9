"""Arguments and options that several verbs share.

arguments      the scenario, `--set`, limits, `--against` and `--teams`: what a verb is asked
seen           `--seen`: an observer who misses some robots
columns        `--columns`: what the columns of a log are called
table_options  what a table is to be made for
workers        `--workers` and `--cluster`: who computes
"""
