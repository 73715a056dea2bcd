"""The Fleet screen: one question to many memories, and their answers."""
