"""The six tools: Read, Edit, Write, Grep, Glob, Bash."""
