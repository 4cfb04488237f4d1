"""Results: printed, tabulated, exported and drawn. Nothing here infers anything."""
