"""Watches projects on disk, reads their changes, and publishes snapshots, which nothing else may write."""
