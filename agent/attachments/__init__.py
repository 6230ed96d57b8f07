"""What goes to the model beside a person's words: mentioned files, and files that changed meanwhile."""
