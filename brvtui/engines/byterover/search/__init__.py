"""ByteRover's own search (``docs/engine.md``)."""
