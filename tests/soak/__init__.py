"""Long versions of tests in the suite; each prints what it did."""
