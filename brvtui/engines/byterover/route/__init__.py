"""The five tiers: cache, gates, entity searches, answers, and the manifest and prompt."""
