"""What a migration to ByteRover V4 would change: notes, and the answers to queries (``docs/byterover_v4.md``)."""
