"""The Query screen: its panes, and the controllers that run queries and explain their answers."""
