"""The installed engine: verification against this app, and a preview of a migration to V4."""
