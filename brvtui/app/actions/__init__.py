"""Actions as data. The key bindings, key bar, palette, help and docs/reference/keys.md are all built from it."""
