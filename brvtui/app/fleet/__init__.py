"""The Fleet screen: one question to many memories, and what each answers."""
