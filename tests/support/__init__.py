"""Helpers of the tests: small trees with fixed times, naive models of what the engine does."""
