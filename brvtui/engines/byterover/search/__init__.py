"""The search of ByteRover (``docs/reference/byterover.md``)."""
