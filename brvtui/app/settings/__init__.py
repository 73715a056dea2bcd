"""The screen Settings: every setting, and where it comes from."""
