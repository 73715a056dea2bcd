"""ByteRover V4: HTML topics, relative relevance, without tiers and without a model."""
