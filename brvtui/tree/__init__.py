"""Project files on disk: reading, editing, saving, watching, history and the engines' own files. No scores or UI."""
