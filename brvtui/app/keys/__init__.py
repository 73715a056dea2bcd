"""Keys: their names, Textual's bindings made from actions, the user's own keys, and lists of all."""
