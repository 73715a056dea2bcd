"""Words: analysis, postings and the tantivy index; no scores of notes, no tiers."""
