"""The HTML report: one self-contained page that says what leaks and what to do about it."""
