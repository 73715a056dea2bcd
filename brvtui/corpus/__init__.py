"""What engines rank beside notes: documents and links, made from a code repository."""
