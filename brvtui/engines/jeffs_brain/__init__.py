"""The hybrid pipeline of Jeffs Brain (``docs/jeffs_brain.md``).

``index_snapshot`` makes the index of a snapshot, ``embed_index`` gives it vectors, ``retrieve`` answers.
"""
