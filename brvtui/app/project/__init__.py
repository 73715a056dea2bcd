"""The open project and the state that all screens share: the tree, the selected note and layouts."""
