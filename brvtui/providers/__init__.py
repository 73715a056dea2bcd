"""HTTP services and local models behind the protocols of ``brvtui.services``. Only the session imports them."""
