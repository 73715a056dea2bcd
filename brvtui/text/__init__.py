"""Words: analysis, postings and the tantivy index. Does not score notes or choose tiers."""
