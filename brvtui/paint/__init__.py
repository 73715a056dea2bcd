"""Lines of text with roles. Panes, reports and Markdown are built from them."""
