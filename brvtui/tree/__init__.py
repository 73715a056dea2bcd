"""Files of a project on disk: reading, editing, saving, watching, history, and the engines' own files. No scores, no
UI."""
