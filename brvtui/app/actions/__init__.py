"""What keys do, as data: all that bindings, key bar, palette, help and docs/reference/keys.md are made from."""
