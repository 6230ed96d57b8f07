"""Runs people's hook scripts by the contract they were written for."""
