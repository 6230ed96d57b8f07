"""The subcommands: one question each, answered on standard output."""
