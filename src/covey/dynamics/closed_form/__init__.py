"""The closed form: exact laws of complex-balanced networks, without a Markov chain."""
