"""Plug-ins for other tools, one module each. Nothing in errbar imports them."""
