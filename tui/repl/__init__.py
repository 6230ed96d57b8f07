"""The face for any terminal: a line at a time, in the terminal's own scrollback."""
