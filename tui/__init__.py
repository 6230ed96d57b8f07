"""The faces of ccagent: thin clients of one engine."""
