"""Documents and links that engines rank in place of notes: the symbols of a code repository."""
