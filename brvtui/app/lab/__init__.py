"""The Lab: judged queries and their answers now and in other variants."""
