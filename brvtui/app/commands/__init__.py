"""The command palette: every action and every note, found by a few letters."""
