"""The handling of text: splitting it into terms, postings, query languages, and the tantivy index."""
