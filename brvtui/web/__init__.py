"""The app in a browser: one process of the app per page, over textual-serve (extra ``web``)."""
