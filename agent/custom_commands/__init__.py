"""Commands that people write as Markdown files."""
