"""Documents and links, other than notes, that engines rank; built from a code repository."""
