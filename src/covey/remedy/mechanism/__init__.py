"""What to publish instead: tables.

protect         the table that costs least, for one snapshot
problem         its distributions, its linear_program and its judgement by losses
mechanism       what comes out
baselines       the usual ways to say less; front is all of them
protect_stream  the same for a feed, whose values age (staleness), by a stream_search
whole_stream    what a stream through a table for one snapshot gives away
"""
