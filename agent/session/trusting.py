"""Whether this folder's settings and commands may run code and widen rights."""

from collections.abc import Sequence
from pathlib import Path

from agent.permissions.trust import TrustStore
from agent.protocol.asks import TrustItem
from agent.protocol.errors import FilesError
from agent.settings.paths import Places


class Trusting:
    """Trust granted by --trust for this launch, or by the person for what stands in the folder's settings and commands now."""

    def __init__(self, places: Places, *, granted: bool) -> None:
        self._store = TrustStore(places.trust_file)
        self._folder = places.project_root
        self._granted = granted
        self._refused: set[TrustItem] = set()
        self._here: set[tuple[Path, TrustItem]] = set()  # a yes counts in this session, even when the disk refuses it

    def trusted(self, items: Sequence[TrustItem]) -> bool:
        """Whether each of these items of the settings is trusted."""
        return self._trusts(self._folder, items)

    def refuse(self, items: Sequence[TrustItem]) -> None:
        """The person does not trust these items: in this session they are not asked about again while they are as they are."""
        self._refused |= set(items)

    def refused(self, items: Sequence[TrustItem]) -> bool:
        """Whether the person has said no to each of these items."""
        return self._refused.issuperset(items)

    def grant(self, items: Sequence[TrustItem]) -> str:
        """Remembers that the person trusts these items; why that will be forgotten, or ""."""
        return self._remember(self._folder, items)

    def news(self, items: Sequence[TrustItem]) -> tuple[str, ...]:
        """See TrustStore.news."""
        return self._store.news(self._folder, items)

    def trusts_file(self, path: Path, item: TrustItem) -> bool:
        """Whether a command's file is trusted as it is now."""
        return self._trusts(path, [item])

    def file_news(self, path: Path, item: TrustItem) -> tuple[str, ...]:
        """See TrustStore.news."""
        return self._store.news(path, [item])

    def grant_file(self, path: Path, item: TrustItem) -> str:
        """Remembers that the person trusts this file as it is now; why that will be forgotten, or ""."""
        return self._remember(path, [item])

    def _trusts(self, path: Path, items: Sequence[TrustItem]) -> bool:
        here = all((path, item) in self._here for item in items)
        return self._granted or here or self._store.is_trusted(path, items)

    def _remember(self, path: Path, items: Sequence[TrustItem]) -> str:
        self._here |= {(path, item) for item in items}
        try:
            self._store.grant(path, items)
        except FilesError as error:
            return f"This trust holds for this session only: {error.line}"
        return ""
