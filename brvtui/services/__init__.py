"""Protocols and errors of language models, embedders and rerankers."""
