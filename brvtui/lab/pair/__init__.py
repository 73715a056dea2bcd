"""Two results of one answer beside each other: why one stands above the other, and what would turn that round."""
