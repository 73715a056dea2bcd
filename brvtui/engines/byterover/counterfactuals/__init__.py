"""The search for counterfactuals: the smallest changes after which a query is answered directly."""
