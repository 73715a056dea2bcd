"""What the app is made of: a part has one idea, is given what it needs, and does not know the app."""
