"""Writing: the layer through which every file of the tool is written, locked and checked.

No layer above it opens a file for writing; ``tests/disk/test_one_layer_writes.py`` checks that. Reading is in
``brvtui.regular_files``.
"""
