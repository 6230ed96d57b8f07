"""How full the context is, what that means, and where it went."""
