"""ByteRover V4: HTML topics and relative relevance, without tiers or a model."""
