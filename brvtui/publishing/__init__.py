"""One writer for each project: reads what changed on disk, publishes snapshots, watches."""
