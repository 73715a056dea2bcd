"""Spaces of ByteRover V4 on disk: where they are, their topics, signals and engine files (``docs/byterover_v4.md``)."""
