"""Writing: the room through which every file of the tool is written, locked and checked.

Nothing above it opens a file to write; ``tests/disk/test_one_room_writes.py`` holds that. Reading is in
``brvtui.regular_files``.
"""
