"""The command palette, which finds actions and notes by a few letters."""
