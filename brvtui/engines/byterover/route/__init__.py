"""The five tiers: cache, gates, entity searches, answers, manifest and prompt."""
