"""brv-tui: shows why a query of a ByteRover context tree got its answer."""

__version__ = "0.1.0"
