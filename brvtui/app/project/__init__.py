"""The open project, and what all screens share of it: the tree, the selected note, layouts."""
