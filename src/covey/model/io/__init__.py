"""Files: scenarios, and other programs' formats.

scenario_file   TOML in and out, with the line of every mistake
document        its tables and keys
network_text    the lines of a network
scenario_edit, value_edit   edits that keep comments, by tomlkit
toml_writer     a scenario printed anew
mechanism_file  what is published through: tables
stand_in_file   and stand-ins
log_table       [log]: what a fleet's logs call what the network has
clock           times as numbers, epochs or dates
prism, sbml/    other programs; identifiers are names that they take
"""
