"""The layer that writes, locks and checks all of the tool's files.

No layer above it opens a file for writing; ``tests/disk/test_one_layer_writes.py`` checks this. Reading is in
``brvtui.regular_files``.
"""
