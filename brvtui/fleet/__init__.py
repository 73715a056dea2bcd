"""Many memories asked at once: what they are, how each is opened, and how their answers come together."""
