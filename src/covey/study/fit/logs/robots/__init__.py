"""Logs with a row for every robot, explained by the network's reactions.

robot_file                 the rows; robot_states: the words of a state
robot_changes, robot_team  which reactions explain a change; whereabouts: who is where
robot_tally                all of it added up
live_fleet, robot_feed     the same rows while they come, for a stand-in that is published
"""
