"""Attacks on the program, one script per family: ``python -m tests.attacks.files`` prints the successful ones."""
