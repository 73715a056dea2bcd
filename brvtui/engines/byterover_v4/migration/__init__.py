"""The topics that V4's own migration creates from notes of ByteRover 3 (``docs/reference/byterover-v4.md``)."""
