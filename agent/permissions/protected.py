"""Files that steer what runs later: they are never written without a question, except when everything is bypassed."""

from pathlib import Path

FOLDERS = frozenset({".ccagent", ".claude", ".git", ".vscode", ".idea", ".husky", ".ssh", ".gnupg", ".devcontainer"})
FILES = frozenset(
    {
        ".bashrc",
        ".bash_profile",
        ".bash_login",
        ".bash_logout",
        ".bash_aliases",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
    }
    | {
        ".zlogin",
        ".zlogout",
        ".kshrc",
        ".cshrc",
        ".tcshrc",
        ".login",
        ".inputrc",
        ".envrc",
        ".mcp.json",
        ".gitconfig",
        ".gitmodules",
    }
    | {".npmrc", ".yarnrc", ".yarnrc.yml", ".pypirc", ".netrc", ".tmux.conf", ".vimrc", ".ripgreprc"}
)
_FISH = (".config", "fish")


def is_protected(path: Path, extra: tuple[Path, ...] = ()) -> bool:
    """Whether `path` is such a file or below such a folder; case never matters. `extra` are moved homes."""
    parts = tuple(part.casefold() for part in path.parts)
    if FOLDERS.intersection(parts) or (parts and parts[-1] in FILES):
        return True
    if any(parts[at : at + 2] == _FISH for at in range(len(parts))):
        return True
    return any(path == folder or path.is_relative_to(folder) for folder in extra)
