"""ByteRover V4: HTML topics, relative relevance, no tiers, no model (``docs/byterover_v4.md``)."""
