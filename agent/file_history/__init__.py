"""What files were like before this session changed them, so that a rewind can put them back."""
