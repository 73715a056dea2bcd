"""The engines, each in its own folder. No engine imports another."""
