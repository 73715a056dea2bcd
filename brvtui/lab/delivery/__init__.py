"""Delivery: the text that reached the agent each time it asked its memory."""
