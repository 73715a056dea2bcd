"""Analysis of notes and logs: a note's page, backlinks, comparisons, evaluations and a summary of the log. No UI."""
