"""The pictures of results, drawn by matplotlib, in one look."""
