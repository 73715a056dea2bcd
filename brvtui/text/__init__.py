"""Words: analysis, postings and the tantivy index. No scores of notes, no tiers."""
