"""The notes' flows are walked over real HTTP, like every walk."""

from tests.walks.conftest import make_walk, project

__all__ = ["make_walk", "project"]
