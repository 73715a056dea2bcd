"""The app in a browser: one process of it for each page, over textual-serve (extra ``web``)."""
