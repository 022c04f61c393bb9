"""How it moves: from a network and a start to the probability of every state."""
