"""Writes, locks and checks all of the tool's files.

Only this package opens files for writing; ``tests/disk/test_one_layer_writes.py`` checks this. Reading is in
``brvtui.regular_files``.
"""
