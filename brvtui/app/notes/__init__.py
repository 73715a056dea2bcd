"""The Notes screen: the tree, one note, and facts about it."""
