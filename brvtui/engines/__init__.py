"""The engines, one folder each. No engine imports another."""
