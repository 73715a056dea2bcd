"""The five tiers: cache, gates, out of domain, direct answer, manifest and prompt; no UI."""
