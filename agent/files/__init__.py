"""Bytes on disk: all of them or none, and one writer at a time."""
