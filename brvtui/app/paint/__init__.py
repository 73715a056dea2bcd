"""Lines of cells from plain values: what the panes draw with. Nothing here knows Textual."""
