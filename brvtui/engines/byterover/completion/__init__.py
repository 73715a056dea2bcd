"""A model's work on an answer: its loop, its tools, its form."""
