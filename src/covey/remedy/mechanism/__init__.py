"""What to publish instead: tables.

protect         the tables that cost least, for one snapshot of a public_set of teams
problem         their distributions on seen_rows, linear_program and judgement by losses
protect_box     the same for every rate of a rate_box, by proved bounds
mechanism       what comes out
baselines       the usual ways to say less; front is all of them
protect_stream  the same for a feed, whose values age (staleness), by a stream_search
whole_stream    what a stream through a table for one snapshot gives away
"""
