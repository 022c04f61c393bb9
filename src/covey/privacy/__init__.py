"""What is learnt: from the laws of neighbouring teams to what an observer can tell."""
