"""Taking things out of the app: copied, or saved to a file."""
