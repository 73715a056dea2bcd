"""Test helpers: small trees with fixed times, and naive models of the engine."""
