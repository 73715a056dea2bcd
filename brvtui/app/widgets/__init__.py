"""The base classes of panes, and the widgets that several screens share."""
