"""Compaction: one transaction that replaces a long history by a summary, or leaves it byte-identical."""
