"""Changes to notes as plans, which can be previewed, applied and undone: moving, archiving and setting signals."""
