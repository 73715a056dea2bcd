"""ByteRover's own search (``docs/reference/byterover.md``)."""
