"""The topics that V4's own migration creates from notes of ByteRover 3 (``docs/byterover_v4.md``, "From 3 to 4")."""
