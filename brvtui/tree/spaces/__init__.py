"""Spaces of ByteRover V4 on disk: their location, topics, signals and engine files.

See ``docs/reference/byterover-v4.md``.
"""
