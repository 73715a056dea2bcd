"""The app in a browser: one app process per page, over textual-serve (extra ``web``)."""
