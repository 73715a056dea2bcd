"""The Health screen: findings about the memory, its terms, and the tokens of a text."""
