"""The engine of ccagent: one prompt to its answer, and a context that can be seen, steered, trusted and undone."""
