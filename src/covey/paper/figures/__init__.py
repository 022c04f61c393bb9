"""The figures of the paper, from the data of its parts: one look for all of them."""
