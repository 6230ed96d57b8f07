"""The straight line: one prompt to its answer."""
