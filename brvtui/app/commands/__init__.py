"""The command palette's contents: every action, every note, and how a chosen one is carried out."""
