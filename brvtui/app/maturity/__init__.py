"""The Maturity screen: all notes by maturity, today and in the future."""
