"""Attacks on the program, a script for each family: ``python -m tests.attacks.files`` prints what got through."""
