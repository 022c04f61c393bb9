"""Rate constants from logs, with intervals that cover."""
