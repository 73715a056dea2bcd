"""The base classes of screens, dialogs and fields; help and jumping."""
