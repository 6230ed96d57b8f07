"""Whether this folder's settings and commands may run code and widen rights."""

from collections.abc import Sequence
from pathlib import Path

from agent.permissions.trust import TrustStore
from agent.protocol.asks import TrustItem
from agent.settings.paths import Places


class Trusting:
    """Trust granted by --trust for this launch, or by the person for this folder and this content."""

    def __init__(self, places: Places, *, granted: bool) -> None:
        self._store = TrustStore(places.trust_file)
        self._folder = places.project_root
        self._granted = granted

    def trusted(self, items: Sequence[TrustItem]) -> bool:
        """Whether exactly these items are trusted."""
        return self._granted or self._store.is_trusted(self._folder, items)

    def grant(self, items: Sequence[TrustItem]) -> None:
        """Remembers that the person trusts these items."""
        self._store.grant(self._folder, items)

    def trusts_file(self, path: Path, item: TrustItem) -> bool:
        """Whether a command's file is trusted as it is now."""
        return self._granted or self._store.is_trusted(path, [item])

    def grant_file(self, path: Path, item: TrustItem) -> None:
        """Remembers that the person trusts this file as it is now."""
        self._store.grant(path, [item])
