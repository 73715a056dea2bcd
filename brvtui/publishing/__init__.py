"""The only writer of each project: watches the disk, reads changes and publishes snapshots."""
