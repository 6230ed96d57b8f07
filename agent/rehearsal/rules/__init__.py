"""The conscience: one function per family of rules, each raising the refusal that the real API would send."""
