"""Who may do what: rules, modes, the gate, and trust in folders."""
