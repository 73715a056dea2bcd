"""The Settings screen: every setting, and where it comes from."""
