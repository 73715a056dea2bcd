"""Spaces of ByteRover V4 on disk: where they are, their topics, signals and engine files.

See ``docs/reference/byterover-v4.md``.
"""
