"""Walks can be pictured too."""

from tests.walks.conftest import make_walk, project

__all__ = ["make_walk", "project"]
