"""The screen Log: what was asked, by whom, and whether it would still be answered the same."""
