"""Every knob, and where its value came from."""
