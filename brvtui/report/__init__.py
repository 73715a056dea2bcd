"""Reports for a terminal, in Markdown and in SVG. They show traces and other results, and compute nothing."""
