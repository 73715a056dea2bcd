"""Keys: their names, Textual's bindings for actions, the user's own keys, and lists of all keys."""
