"""Arguments and options that several verbs share.

arguments         the scenario, `--set`, limits, `--against` and `--teams`: what a verb is asked
seen              `--seen`: an observer who misses some robots
log_options       `--columns` and `--unit`: how a log is to be read
table_options     what a table is to be made for
snapshot_options  `--every`, `--for` and `--snapshots`: how often a team is looked at
workers           `--workers` and `--cluster`: who computes
"""
