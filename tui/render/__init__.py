"""Turns what the engine says into lines of styled text that every face can paint."""
