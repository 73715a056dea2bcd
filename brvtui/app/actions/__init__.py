"""Actions as data: the source of key bindings, key bar, palette, help and docs/reference/keys.md."""
