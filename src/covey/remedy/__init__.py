"""What to do about it: what to publish instead of what is there."""
