"""What a conversation came to, computed from its record and never by a model."""
