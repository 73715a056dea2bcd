"""Keys as a whole: every binding there is, other keys that the user gives them, and how both are listed."""
