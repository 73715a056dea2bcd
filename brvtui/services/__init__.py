"""Protocols of language models, embedders and rerankers, and how they fail."""
