"""The tool's own folders: overlay and query history; no scores, no UI."""
