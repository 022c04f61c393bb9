"""What a log says, row by row.

log_file                   which kind of log it is; table and reading are its rows and options
event_file, event_rows     what happened when
dwell_times                how long every robot was in a state
cadence                    whether robots report changes, heartbeats or polls
anomalies                  what is odd about it
log                        one that is kept whole

robots/                    a row for every robot and change, also while they come
feeds/                     other programs' formats
"""
