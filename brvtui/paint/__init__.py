"""Lines of text with roles, from which panes, reports and Markdown are built."""
