"""Outcomes, wherever they are, as the sufficient statistics that metrics are computed from."""
