"""Services over HTTP and local models behind the protocols of ``brvtui.services``; only the session imports them."""
