"""Publishing a stand-in: from what the fleet does to what is published.

coupled_publisher  event by event or state by state
coupled_team       the real team of a publisher: its coupling, its paths between two states
draws              random numbers of the operating system
pair_file          both as JSON, for a restart
feed_lines         lines of events and states
stand_in_feed      such lines in, what is published out, by the times of a log or the wall's clock
"""
