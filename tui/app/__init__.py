"""The Textual app: one virtual transcript, a prompt, a panel for questions, the meter."""
