"""ByteRover V4: HTML topics, relative relevance, no tiers, no model (``docs/reference/byterover-v4.md``)."""
