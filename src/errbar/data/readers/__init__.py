"""Readers of logs, a module per harness, and of tables of any common shape."""
