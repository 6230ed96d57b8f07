"""The record of a session: an append-only file, a DAG over it, and the views that the model and the person get."""
