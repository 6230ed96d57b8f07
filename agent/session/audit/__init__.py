"""A look back at a recorded session: where its tokens and its money went, and what its compactions lost."""
