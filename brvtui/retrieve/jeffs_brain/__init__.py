"""The hybrid pipeline of Jeffs Brain (``docs/jeffs_brain.md``)."""
