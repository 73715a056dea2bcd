"""Implementations of the pipelines' protocols over real services and local models; only the session imports them."""
