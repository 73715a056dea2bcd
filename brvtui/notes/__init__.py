"""Changes to notes: plans that can be previewed, applied and undone, for moving, archiving and signals."""
