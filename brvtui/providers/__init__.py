"""Implements the protocols of ``brvtui.services`` with HTTP services and local models.

Only the session imports this.
"""
