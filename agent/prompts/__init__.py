"""The words the model is given: who it is, and where it works."""
