"""A strict loopback stand-in for the Messages API: it refuses what the real API refuses, counts, caches, and plays scripts."""
