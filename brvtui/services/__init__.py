"""Protocols and errors for language models, embedders and rerankers."""
