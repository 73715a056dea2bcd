"""Plans for changing notes, which can be previewed, applied and undone: moving, archiving and setting signals."""
