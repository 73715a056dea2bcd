"""Lines of text in roles, of which panes, reports and Markdown are made."""
