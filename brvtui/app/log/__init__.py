"""The Log screen: past queries, who ran them, and a comparison with their current answers."""
