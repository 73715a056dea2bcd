"""ByteRover V4, which ranks HTML topics by relative relevance, without tiers or a model."""
