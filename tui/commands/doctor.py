"""`ccagent doctor`: every finding, a line each."""

import sys
from collections.abc import Mapping

from agent.permissions.trust import TrustStore
from agent.session.doctor import findings
from agent.settings.flags import Flags
from agent.settings.load import load_settings
from agent.settings.paths import Places
from tui.render.safe import clean_line


def run_doctor(places: Places, env: Mapping[str, str], *, version: str, online: bool) -> int:
    """Print every finding; 1 if one is broken, else 0."""
    store = TrustStore(places.trust_file)
    settings = load_settings(places, env, Flags(), trusted=lambda items: store.is_trusted(places.project_root, items))
    code = 0
    for found in findings(settings, places, version=version, online=online):
        sys.stdout.write(f"{found.state:>6}  {found.name:<12} {clean_line(found.text)}\n")
        code = 1 if found.state == "broken" else code
    return code
