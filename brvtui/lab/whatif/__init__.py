"""Other states in which queries can be asked: one thing or more replaced, and nothing written."""
