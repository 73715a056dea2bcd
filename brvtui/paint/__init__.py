"""Lines of text with roles: what panes, reports and Markdown are made of."""
