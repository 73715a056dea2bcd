"""The engines, one folder each. None imports another."""
