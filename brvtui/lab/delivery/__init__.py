"""Delivery: what reached the agent each time that it asked its memory."""
