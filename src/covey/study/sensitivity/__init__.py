"""Every single change tried: what each gives away, and the shortest list that meets a target."""
