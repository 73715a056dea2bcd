"""The search for counterfactuals of one query."""
