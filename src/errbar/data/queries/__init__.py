"""Questions asked of a table where it is, each one GROUP BY or one scan."""
