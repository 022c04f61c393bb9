"""Results as JSON: the keys that programs rely on, the same on the command line and in the app."""
