"""The way to the Messages API: the only room that imports the SDK."""
