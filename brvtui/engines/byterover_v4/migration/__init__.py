"""The topics that V4's own migration creates from ByteRover 3 notes (``docs/reference/byterover-v4.md``)."""
