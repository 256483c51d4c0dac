"""How agents use the files beside a skill."""

from pathlib import PurePosixPath

_FOLDERS = {"scripts": "run", "bin": "run", "hooks": "run", "assets": "copied", "templates": "copied"}
_RUN = (".bash", ".bat", ".cjs", ".js", ".mjs", ".pl", ".ps1", ".py", ".rb", ".sh", ".ts", ".zsh")
_COPIED = (
    ".drawio",
    ".gif",
    ".ico",
    ".jpeg",
    ".jpg",
    ".otf",
    ".pdf",
    ".png",
    ".svg",
    ".ttf",
    ".webp",
    ".woff",
    ".woff2",
)


def use_of(path: str) -> str:
    """Whether a file of a skill, by its path below the skill's folder, is read, run or copied.

    The folders that the Agent Skills standard names decide first, then the extension.
    """
    place = PurePosixPath(path.lower())
    if len(place.parts) > 1 and place.parts[0] in _FOLDERS:
        return _FOLDERS[place.parts[0]]
    if place.suffix in _COPIED or place.name.startswith("license"):
        return "copied"
    return "run" if place.suffix in _RUN and place.parts[0] != "references" else "read"
