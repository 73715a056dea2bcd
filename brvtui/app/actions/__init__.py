"""Actions as data, from which the key bindings, key bar, palette, help and docs/reference/keys.md are built."""
