"""Two distributions in one picture: its axis, its look, and the plot."""
