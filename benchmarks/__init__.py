"""What covey is measured by: a module each, beside a named peer in the same run."""
