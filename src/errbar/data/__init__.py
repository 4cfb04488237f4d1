"""From what people hold to the sufficient statistics that every metric is computed from."""
