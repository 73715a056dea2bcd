"""The tool's own files: overlay, drafts, logs, history, and stored indexes and vectors.

Contains no scores and no UI.
"""
