"""Whether this folder's settings may run code and widen rights."""

from collections.abc import Sequence

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
