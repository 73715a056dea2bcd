"""Changes to notes: plans that are previewed, applied and undone; moving, archiving, signals."""
