"""Spaces of ByteRover V4 on disk: their location, topics, signals and engine files (``docs/byterover_v4.md``)."""
