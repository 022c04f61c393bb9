"""Feeds that fleets publish or record anyway, as tables that `log_file` reads."""
