"""The installed engine: whether it answers as shown here, and what a migration to V4 would change."""
