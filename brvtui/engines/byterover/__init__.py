"""ByteRover 3: search, route, cache, reasons and ageing (``docs/reference/byterover.md``)."""
