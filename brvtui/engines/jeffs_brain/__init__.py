"""The hybrid pipeline of Jeffs Brain (``docs/reference/jeffs-brain.md``).

``index_snapshot`` builds the index of a snapshot, ``embed_index`` adds vectors, and ``retrieve`` answers a query.
"""
