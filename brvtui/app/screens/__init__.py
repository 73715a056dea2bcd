"""The base classes of screens, dialogs and fields, and the overlays for help and jumping."""
