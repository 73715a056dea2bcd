"""Settings: five layers with one schema (``docs/reference/settings.md``)."""

from brvtui.config.layers import PROJECT_FILE, Configuration, configure, user_file
from brvtui.config.schema import ConfigError, Settings

__all__ = ["PROJECT_FILE", "ConfigError", "Configuration", "Settings", "configure", "user_file"]
