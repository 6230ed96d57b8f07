"""What people want the agent to know every time: CLAUDE.md and its kin."""
