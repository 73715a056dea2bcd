"""The tool's own files: overlay, drafts, logs, history, kept index, vectors. No scores, no UI."""
