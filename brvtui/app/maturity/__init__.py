"""The screen Maturity: every note by maturity, today and on days to come."""
