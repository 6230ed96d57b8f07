"""The words of compaction for the model, as Markdown files."""
