"""The one process runner: Bash and hooks start children here and nowhere else."""
