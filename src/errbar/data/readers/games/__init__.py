"""Preferences between two systems, and ratings that tools nest, from files of any common shape."""
