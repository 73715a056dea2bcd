"""The panes, one a file."""
