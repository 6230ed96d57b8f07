"""One session: the verbs and queries that faces use, and the only wiring of the engine."""
