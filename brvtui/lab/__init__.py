"""Notes and logs beside answers: a note's page, backlinks, similar notes, a summary of the log; no UI."""
