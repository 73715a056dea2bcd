"""Colour themes: their files, what is derived for those that lack a role, and the styles that text takes from them."""
