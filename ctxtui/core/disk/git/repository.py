"""The repository of a folder: its git folder, and git's settings, read without git."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from ctxtui.core.base.errors import ContextError, invalid
from ctxtui.core.base.executable import executable
from ctxtui.core.disk.git.rules import glob_expression
from ctxtui.core.disk.open_at import exists
from ctxtui.core.disk.root import read_file

_Look = Callable[[str], None]
"""Called with the path of each file before it is read, even if it does not exist."""

VARIABLES: Final = ("HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
"""The variables that locate settings."""

_MOST_SETTINGS: Final = 1024 * 1024
# Git's own limit.
_DEEPEST: Final = 10
_NO: Final = ("", "0", "false", "no", "off")
# A comment, the header of a section, or a setting. A value may go on after `\` at the end of a line.
_ENTRY: Final = re.compile(
    r"""\s*+(?:[\#;][^\n]*+
      |\[(?P<section>[A-Za-z0-9.-]++)(?:[ \t]++"(?P<inner>(?:[^"\\\n]|\\.)*+)")?[ \t]*+\]
      |(?P<key>[A-Za-z][A-Za-z0-9-]*+)[ \t]*+
        (?:=(?P<value>(?:"(?:[^"\\\n]|\\[ntb"\\\n])*+"|\\[ntb"\\\n]|[^"\\\n\#;])*+)(?:[\#;][^\n]*+)?(?![^\n])|(?!=)))""",
    re.VERBOSE,
)
_CONTINUED: Final = re.compile(r"\\\n|(\\.)")
_BEFORE_VALUE: Final = re.compile(r'(?:\s|"")*+')
_SIGN: Final = re.compile(r'\\(.)|"')
_ESCAPES: Final = {"n": "\n", "t": "\t", "b": "\b"}
_MOST_GITDIR: Final = 64 * 1024
_FILE_SAYS: Final = "gitdir: "


class GitFolder(NamedTuple):
    """A working tree `top`, its git folder, and the git folder that all working trees of the repository share."""

    top: Path
    own: Path
    common: Path


Settings = dict[str, str]
"""The last value of each setting by its name, with section and name in lower case."""


def settings_of(git: GitFolder, look: _Look) -> Settings:
    """A working tree's settings by name, such as `core.bare`. Later files outrank earlier ones. `look` notes each."""
    reader = _SettingsReader(git, look)
    for place in _outer_files():
        reader.read_settings(place)
    reader.read_settings(git.common / "config")
    if is_true(reader.found.get("extensions.worktreeconfig", "no")):
        reader.read_settings(git.own / "config.worktree")
    return reader.found


def excludes_file(settings: Settings, top: Path) -> str:
    """The path of the user's own ignore rules, which need not exist, "" if the settings switch them off."""
    value = settings.get("core.excludesfile")
    if value is None:
        return str(_user_folder() / "ignore")
    return os.path.join(top, os.path.expanduser(value)) if value else ""  # noqa: PTH111, PTH118 - a text


def is_true(value: str) -> bool:
    """Whether a boolean setting is on. All words but git's own for "no" are."""
    return value.lower() not in _NO


def _outer_files() -> Iterator[Path]:
    """The files with the settings of the system, then of the user. They need not exist."""
    if not is_true(os.environ.get("GIT_CONFIG_NOSYSTEM", "")):
        named = os.environ.get("GIT_CONFIG_SYSTEM")
        program = None if named else executable("git")
        base = Path(os.path.realpath(program)).parent.parent if program else Path("/usr")
        yield Path(named) if named else (Path("/etc") if base == Path("/usr") else base / "etc") / "gitconfig"
    named = os.environ.get("GIT_CONFIG_GLOBAL")
    if named is None:
        yield _user_folder() / "config"
        yield Path(os.path.expanduser("~/.gitconfig"))  # noqa: PTH111 - never raises
    else:
        yield Path(named)


def _user_folder() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"), "git")  # noqa: PTH111


class _SettingsReader:
    """Adds the settings of a file, and of the files that it includes, to `found`."""

    def __init__(self, git: GitFolder, look: _Look) -> None:
        self._git, self._look = git, look
        self.found: Settings = {}

    def read_settings(self, place: Path, depth: int = 0) -> None:
        """Add the settings of a file, if it is readable, and of the files it includes, up to ten deep."""
        for name, value in _settings_in(_settings_text(place, self._look)):
            if value is None:
                self.found[name] = "true"
                continue
            self.found[name] = value
            condition = name.removeprefix("includeif.").removesuffix(".path")
            is_included = name == "include.path" or (
                name.startswith("includeif.") and name.endswith(".path") and self._holds(condition, place)
            )
            if is_included and value and depth < _DEEPEST:
                self.read_settings(place.parent / os.path.expanduser(value), depth + 1)  # noqa: PTH111 - never raises

    def _holds(self, condition: str, place: Path) -> bool:
        """Whether the condition of an include is true. `place` is the file with the setting."""
        kind, _, pattern = condition.partition(":")
        if kind == "onbranch":
            head = _settings_text(self._git.own / "HEAD", self._look).strip()
            branch = head.removeprefix("ref: refs/heads/")
            return branch != head and _matches(pattern, branch, False)
        if kind not in ("gitdir", "gitdir/i"):
            return False
        pattern = os.path.expanduser(pattern)  # noqa: PTH111 - never raises
        pattern = f"{place.parent}{pattern[1:]}" if pattern.startswith("./") else pattern
        pattern = pattern if pattern.startswith("/") else f"**/{pattern}"
        return _matches(pattern, self._git.own.as_posix(), kind == "gitdir/i")


def _matches(pattern: str, text: str, ignores_case: bool) -> bool:
    """Whether a pattern of git matches a whole text. False for an invalid pattern."""
    import re2  # noqa: PLC0415 - few settings have conditions

    pattern = f"{pattern}**" if pattern.endswith("/") else pattern
    expression = glob_expression(pattern, ignores_case)
    options = re2.Options()
    options.log_errors, options.case_sensitive = False, not ignores_case
    try:
        return expression is not None and re2.fullmatch(expression, text, options) is not None
    except re2.error:
        return False


def _settings_text(place: Path, look: _Look) -> str:
    text = _content(place, look, _MOST_SETTINGS).decode("utf-8", "surrogateescape")
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def _content(place: Path, look: _Look, most: int) -> bytes:
    """The content of a file, empty if it is unreadable or above `most` bytes. `look` gets its path first."""
    look(str(place))
    try:
        return read_file(place, most).data
    except ContextError:
        return b""


def _settings_in(text: str) -> Iterator[tuple[str, str | None]]:
    """The settings of a file in order, up to the first invalid line. The value of a bare name is None."""
    place, section = 0, ""
    while found := _ENTRY.match(text, place):
        place = found.end()
        if found["section"]:
            inner = found["inner"]
            section = found["section"].lower() + ("" if inner is None else "." + re.sub(r"\\(.)", r"\1", inner))
        elif found["key"]:
            if not section:
                return
            written = found["value"]
            yield f"{section}.{found['key'].lower()}", None if written is None else _plain_value(written)


def _plain_value(written: str) -> str:
    """A value without its quotes and escapes, and without spaces around it that are not in quotes."""
    joined = _BEFORE_VALUE.sub("", _CONTINUED.sub(r"\1", written).rstrip(), count=1)
    return _SIGN.sub(lambda sign: _ESCAPES.get(sign[1], sign[1] or ""), joined)


def repository_root(folder: str | os.PathLike[str]) -> tuple[Path, str] | None:
    """The nearest folder with `.git`, this one or an ancestor, and the path down from it ("" for itself).

    None without a repository. Links are resolved first. Paths without permission count as missing. Never raises.
    """
    try:
        start = Path(os.path.realpath(folder))
    except (OSError, ValueError):
        return None
    root = next((each for each in (start, *start.parents) if exists(each / ".git")), None)
    if root is None:
        return None
    return root, "/".join(start.relative_to(root).parts)


def git_folder(top: Path, look: _Look) -> GitFolder:
    """The git folder of a resolved folder that holds `.git`.

    In a linked working tree or a submodule, `.git` is a file or a link to a git folder elsewhere, which must name
    this folder: otherwise a project could lead into any repository of the user. Raises ContextError (invalid_request)
    if it does not.
    """
    place = top / ".git"
    own = place
    if not place.is_dir():
        said = _small_text(place, look)
        own = top / said.removeprefix(_FILE_SAYS) if said.startswith(_FILE_SAYS) else place
    own = Path(os.path.realpath(own))
    shared = _small_text(own / "commondir", look)
    common = Path(os.path.realpath(own / shared)) if shared else own
    found = GitFolder(top, own, common)
    if not (_names_back(found, look) or (own == common and own.is_relative_to(top))):
        hint = (
            "if it is a working tree of yours: git worktree repair, there; if you keep its git folder elsewhere:"
            f" git config core.worktree {top}"
        )
        raise invalid(f"{place} leads to another repository, which does not name {top}", hint=hint)
    return found


def _names_back(found: GitFolder, look: _Look) -> bool:
    """Whether a git folder names, as its own, the working tree whose `.git` leads to it."""
    own, common = found.own, found.common
    if own != common:
        said = _small_text(own / "gitdir", look)
        return own.parent == common / "worktrees" and Path(os.path.realpath(own / said)) == found.top / ".git"
    # Included files do not count.
    settings = (dict(_settings_in(_settings_text(own / name, look))) for name in ("config", "config.worktree"))
    named = [each.get("core.worktree") for each in settings]
    return any(each and Path(os.path.realpath(own / each)) == found.top for each in named)


def _small_text(place: Path, look: _Look) -> str:
    """The text of a small file without the line end, such as `.git` in a submodule, "" if it is unreadable."""
    return os.fsdecode(_content(place, look, _MOST_GITDIR)).rstrip("\r\n")


def is_git_folder(place: Path) -> bool:
    """Whether a folder is a repository itself, as `.git` and bare ones are, by the three names that git looks for."""
    return (place / "HEAD").is_file() and (place / "objects").is_dir() and (place / "refs").is_dir()


def git_kind(folder: str | os.PathLike[str]) -> int:
    """The file type (`stat.S_IFMT`) of `.git` in a folder, 0 if it is missing. A link is not followed."""
    try:
        return stat.S_IFMT(os.lstat(os.path.join(folder, ".git")).st_mode)  # noqa: PTH118 - thousands are asked
    except OSError:
        return 0
