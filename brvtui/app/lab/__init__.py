"""The Lab: judged queries, as they are answered now and in other states."""
