"""The search for counterfactuals of a query."""
