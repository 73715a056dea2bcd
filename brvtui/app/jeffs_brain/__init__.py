"""What the panes show of an answer of the pipeline ``jeffs_brain``, a module a pane."""
