"""What a log says, row by row.

log_file                   which kind of log it is; table and reading are its rows and options
event_file, event_rows     what happened when
robot_file                 a row for every robot and change: robot_states are its words,
                           robot_changes which reactions explain it, robot_team and whereabouts
                           who is where; robot_tally adds it up
dwell_times                how long every robot was in a state
live_fleet, robot_feed     the same rows while they come, for a stand-in that is published
cadence                    whether robots report changes, heartbeats or polls
anomalies                  what is odd about it
log                        one that is kept whole
feeds/                     other programs' formats
"""
