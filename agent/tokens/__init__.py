"""How many tokens a text, a block or a message is, without asking anybody."""
