"""Plug-ins for other tools, one module each, and the verdict on repeated tests that two share.

Nothing in errbar imports them.
"""
