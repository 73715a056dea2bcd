"""Runs the program with ``python -m brvtui``."""

from brvtui.cli import main

main()
