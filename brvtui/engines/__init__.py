"""The engines: a folder each. None imports another."""
