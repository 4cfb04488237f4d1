"""What was found: printed, tabulated, exported, drawn. Nothing here infers anything."""
