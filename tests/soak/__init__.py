"""Long runs of what the suite does in short; each says what it did."""
