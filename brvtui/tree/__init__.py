"""A project's files on disk: reading, editing, saving, watching, history, the engines' own files. No scores or UI."""
