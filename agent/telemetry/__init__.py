"""What happened, for whoever looks for a fault: never what was said."""
