"""Side by side with peers: both in one process, in turn, reported as ratios."""
