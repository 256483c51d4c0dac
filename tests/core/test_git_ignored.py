"""A walk finds what git itself shows, over generated repositories; git is asked, never imitated, in these tests."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.base.notices import Notice
from ctxtui.core.disk.git.index import index_bytes, tracked_paths
from ctxtui.core.disk.git.rules import MAX_RULE, git_rules, is_sound, read_rules, rule_lines
from ctxtui.core.disk.root import Root
from ctxtui.core.disk.walk import Walker
from tests.cases import cases
from tests.conftest import Project

_WHO = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")


def _git(place: Path, *words: str, data: bytes = b"") -> bytes:
    command = ["git", "-C", str(place), *_WHO, *words]
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def _repository(place: Path, *words: str) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    _git(place, "init", "-q", *words)
    return place


def _walked(root: Path) -> tuple[set[str], list[Notice]]:
    notices: list[Notice] = []
    found = Walker(Root(root), frozenset(), notices.append).walk()
    return {each.path for each in found if not each.ignored}, notices


def _shown(root: Path) -> set[str]:
    """What git shows and is on disk, without hidden names."""
    said = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").decode()
    paths = {path for path in said.split("\0") if path and (root / path).is_file()}
    return {path for path in paths if not any(part.startswith(".") for part in path.split("/"))}


_TOKENS = (
    *("a", "b", "ab", ".", "md", "*", "**", "**/", "/**", "/", "?", "!", "[ab]", "[!a]", "[^b]", "[a-", "[]a]", "]"),
    *("[[:alpha:]]", "[[:digit:]-z]", "[b-a]", "[\\]]", "\\", " ", "\\ ", "ä", "[ä]", "#", "+", "\t", "\r", "-"),
)
_ODD_NAMES = (
    *("a", "b", "ab", ".a", "a.md", "ä", "a b", "a-b", "a+b", "[a]", "\\", "!", "#a", "a ", "1", "-", "]", "a\tb"),
)


_LINE = st.lists(st.sampled_from(_TOKENS), min_size=1, max_size=6).map("".join)
_LINES = st.lists(_LINE, min_size=1, max_size=5)
_ODD_PATHS = st.lists(st.sampled_from(_ODD_NAMES), min_size=1, max_size=4).map("/".join)


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _repository(tmp_path_factory.mktemp("rules")) / ".gitignore"


@given(
    st.builds(str.join, st.sampled_from(("\n", "\r\n")), _LINES).map(str.encode),
    st.sampled_from((b"", b"\xef\xbb\xbf")),
    st.lists(_ODD_PATHS, min_size=1, max_size=20),
)
def test_any_rule_means_what_it_means_to_git(rules: Path, lines: bytes, mark: bytes, names: list[str]) -> None:
    data = mark + lines
    rules.write_bytes(data)
    words = ("check-ignore", "--no-index", "-v", "-n", "-z", "--stdin")
    command = ["git", "-C", str(rules.parent), "-c", "core.ignoreCase=false", *words]
    said = subprocess.run(command, input="\0".join(names).encode(), capture_output=True, check=False).stdout
    rows = said.decode().split("\0")[:-1]
    theirs = {rows[at + 3]: bool(rows[at]) and not rows[at + 2].startswith("!") for at in range(0, len(rows), 4)}
    ours = git_rules(rule_lines(data))
    assert {name: ours.covers(name) for name in names} == theirs


_NAMES = ("a", "b.md", "build", "docs", "node_modules", "venv", "x.log", "x.json", ".hid", "é.md", "B.MD")
_RULES = (
    *("*.log", "!x.log", "build/", "/build", "docs/*", "!docs/b.md", "*.json", "**/a", "a/**", "a/**/b.md"),
    *("/*", "!/docs", "!docs/", "# c", "venv", "node_modules/", "[xb].*", "\\!x", "b.md ", "é.md", "x.?on"),
)
_TEXTS = st.builds(
    lambda mark, lines, end: mark + "".join(line + end for line in lines).encode(),
    st.sampled_from((b"", b"", b"\xef\xbb\xbf")),
    st.lists(st.sampled_from(_RULES), max_size=5),
    st.sampled_from(("\n", "\r\n")),
)
_PATHS = st.lists(st.sampled_from(_NAMES), min_size=1, max_size=4).map("/".join)
_PLACES = ("default", "home", "xdg", "local", "relative", "included", "worktree", "none")
_INDEXES = ((), ("--index-version", "4"), ("--split-index",), ("--index-version", "3"))


def _fill(root: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        place = root / name
        if not place.is_dir() and not any(above.is_file() for above in place.parents):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)


@given(st.data())
def test_a_walk_finds_what_git_shows(project: Project, data: st.DataObject) -> None:
    """All but hidden names, and what is not tracked in folders such as `node_modules`."""
    home, xdg = Path(os.environ["HOME"]), Path(os.environ["XDG_CONFIG_HOME"])
    for place in (home / ".gitconfig", xdg / "git/config", xdg / "git/ignore"):
        place.unlink(missing_ok=True)
    root = _made(project({}), data.draw(st.sampled_from(("plain", "sha256", "linked", "submodule"))))
    _git(root, "config", "extensions.worktreeConfig", "true")
    _user_rules(root, data.draw(_TEXTS), data.draw(st.sampled_from(_PLACES)))
    files = data.draw(st.lists(_PATHS, min_size=1, max_size=12, unique=True))
    _fill(root, dict.fromkeys(files, b"x"))
    folders = st.sampled_from(("", "docs/", "a/", "docs/a/", "build/"))
    rules = data.draw(st.dictionaries(folders, _TEXTS, max_size=3))
    _fill(root, {f"{folder}.gitignore": text for folder, text in rules.items()})
    common = Path(os.fsdecode(_git(root, "rev-parse", "--git-common-dir").strip()))
    (root / common / "info").mkdir(exist_ok=True)
    (root / common / "info/exclude").write_bytes(data.draw(_TEXTS))
    chosen = [name for name in data.draw(st.lists(st.sampled_from(files), max_size=6)) if (root / name).is_file()]
    if chosen:
        _git(root, "add", "-f", "--", *chosen[: len(chosen) // 2 + 1])
        _git(root, "update-index", *data.draw(st.sampled_from(_INDEXES)))
        _git(root, "add", "-f", "--", *chosen)
        if data.draw(st.booleans()):
            _git(root, "rm", "-q", "--cached", "--", chosen[0])
    place = root / data.draw(st.sampled_from(("", "docs", "a")))
    if place.is_dir():
        found, notices = _walked(place)
        known, skipped = {*_git(place, "ls-files", "-z").decode().split("\0")}, {"node_modules", "venv"}
        assert found == {path for path in _shown(place) if path in known or not skipped & {*path.split("/")}}, notices


def _made(top: Path, kind: str) -> Path:
    if kind == "linked":
        main = _repository(top / "main")
        _git(main, "commit", "-q", "--allow-empty", "-m", "x")
        _git(main, "worktree", "add", "-q", str(top / "linked"))
        return top / "linked"
    if kind == "submodule":
        other = _repository(top / "other")
        _git(other, "commit", "-q", "--allow-empty", "-m", "x")
        main = _repository(top / "main")
        (main / ".gitignore").write_text("*\n")
        _git(main, "submodule", "--quiet", "add", "-f", str(other), "sub")
        return main / "sub"
    return _repository(top / "repo", *(("--object-format=sha256",) if kind == "sha256" else ()))


def _user_rules(root: Path, text: bytes, at: str) -> None:
    home, xdg = Path(os.environ["HOME"]), Path(os.environ["XDG_CONFIG_HOME"])
    for folder in (home, xdg / "git"):
        folder.mkdir(parents=True, exist_ok=True)
    mine = xdg / "git/ignore" if at == "default" else root / "mine" if at == "relative" else home / "my rules"
    mine.write_bytes(text)
    if at == "home":
        (home / ".gitconfig").write_bytes(b'\xef\xbb\xbf[core] ; of mine\r\n\texcludesFile = "~/my rules" # so\r\n')
    elif at == "xdg":
        text_of_two = '[Core]\nexcludesfile = ~/my\\\n\\\n  rules\n[core]\nEXCLUDESFILE="~/my rules"'
        (xdg / "git/config").write_text(text_of_two)
    elif at == "local":
        _git(root, "config", "core.excludesFile", "~/my rules")
    elif at == "relative":
        _git(root, "config", "core.excludesFile", "mine")
    elif at == "worktree":
        (home / ".gitconfig").write_text("[core]\nexcludesFile =\n")
        _git(root, "config", "--worktree", "core.excludesFile", str(mine))
    elif at == "included":
        own = f'[includeIf "gitdir:{root.parent.as_posix()}/"]\n\tpath = more\n'
        (home / ".gitconfig").write_text(f'{own}[includeIf "gitdir:~/no/"]\npath = other\n')
        (home / "more").write_text('[core]\n\texcludesFile = "~/my rules"\n')
        (home / "other").write_text("[core]\n\texcludesFile = /dev/null\n")


_listed = st.lists(st.sampled_from(("a", "b", "é", "a" * 300, "long name")), min_size=1, max_size=3).map("/".join)
_LISTED = st.lists(_listed, min_size=1, max_size=15, unique=True).map(
    lambda names: [name for name in names if not any(other.startswith(f"{name}/") for other in names)]
)


@given(_LISTED, st.sampled_from(("2", "3", "4")), st.booleans(), st.booleans(), st.data())
def test_the_index_is_read_as_git_reads_it(
    project: Project, names: list[str], version: str, sha256: bool, split: bool, data: Any
) -> None:
    """Also with entries that are gone, that have more flags, and that are kept in a shared index."""
    root = _repository(project({}), *(("--object-format=sha256",) if sha256 else ()))
    empty = _git(root, "hash-object", "-w", "--stdin").decode().strip()

    def add(some: list[str]) -> None:
        lines = "".join(f"100644 {empty} 0\t{name}\0" for name in some)
        _git(root, "update-index", "-z", "--index-info", data=lines.encode())

    some = st.lists(st.sampled_from(names), unique=True)
    add(data.draw(some) or names)
    _git(root, "update-index", "--index-version", version)
    if split:
        _git(root, "config", "splitIndex.maxPercentChange", "100")
        _git(root, "update-index", "--split-index")
    add(data.draw(some) or names)
    tracked = _git(root, "ls-files", "-z")
    gone = data.draw(st.lists(st.sampled_from(tracked.split(b"\0")[:-1]), unique=True))
    _git(root, "update-index", "-z", "--force-remove", "--stdin", data=b"\0".join(gone))
    flagged = [name for name in tracked.split(b"\0")[:-1] if name not in gone]
    flagged = data.draw(st.lists(st.sampled_from(flagged), unique=True)) if flagged else []
    _git(root, "update-index", "-z", "--skip-worktree", "--stdin", data=b"\0".join(flagged))
    assert tracked_paths(Root(root / ".git"), 32 if sha256 else 20) == _git(root, "ls-files", "-z")


@given(_LISTED)
def test_git_reads_an_index_of_ours(project: Project, names: list[str]) -> None:
    root = _repository(project({}))
    (root / ".git/index").write_bytes(index_bytes(names))
    assert _git(root, "ls-files", "-z").decode() == "".join(f"{name}\0" for name in sorted(names, key=str.encode))


@given(st.binary(max_size=200), st.integers(0, 120))
def test_a_damaged_index_tracks_nothing_or_something(project: Project, noise: bytes, place: int) -> None:
    root = _repository(project({"a.md": "x", "b/c.md": "x"}))
    _git(root, "add", ".")
    index = root / ".git/index"
    data = index.read_bytes()
    index.write_bytes(data[:place] + noise + data[place + len(noise) // 2 :])
    assert isinstance(tracked_paths(Root(root / ".git"), 20), bytes)


def test_what_git_tracks_is_listed_though_a_rule_matches_it(project: Project) -> None:
    files = dict.fromkeys(("a.json", "b.json", "out/a/b.md", "out/c.md"), "x")
    root = _repository(project(files | {".gitignore": "*.json\nout/\n"}))
    _git(root, "add", "-f", "a.json", "out/a/b.md")
    assert _walked(root)[0] == {"a.json", "out/a/b.md"}


def test_a_tracked_name_in_another_case_is_listed_where_case_does_not_count(project: Project) -> None:
    root = _repository(project({"Ä/Notes.md": "x", ".gitignore": "*.md\n"}))
    _git(root, "add", "-f", "Ä/Notes.md")
    (root / "Ä/Notes.md").rename(root / "Ä/NOTES.md")
    assert _walked(root)[0] == set()
    _git(root, "config", "core.ignoreCase", "true")
    assert _walked(root)[0] == {"Ä/NOTES.md"}


def test_of_a_folder_that_is_never_context_only_what_git_tracks_is_found(project: Project) -> None:
    files = dict.fromkeys(("Lib/venv/a.md", "Lib/venv/b.md", "Lib/venv/c/d.md", ".idea/a.md", ".idea/b.md"), "x")
    root = _repository(project(files | {"node_modules/a/b.md": "x", ".ctxtui/a.md": "x"}))
    _git(root, "add", "-f", "Lib/venv/a.md", ".idea/a.md", ".ctxtui/a.md")
    assert _walked(root)[0] == {"Lib/venv/a.md"}
    found = Walker(Root(root), frozenset(), print).walk(with_ignored=True)
    assert [each.path for each in found] == [".idea/a.md", "Lib/venv/a.md"]


def test_a_repository_within_another_has_its_own_rules(project: Project) -> None:
    """As for git: those around it, and what the other one tracks, say nothing of it."""
    top = _repository(project({".gitignore": "*.md\n/vendor\n", "a.md": "x", "a.txt": "x", "vendor/b.txt": "x"}))
    for name in ("inner", "vendor/inner"):
        inner = _repository(top / name)
        _fill(inner, {".gitignore": b"*.txt\n", "a.md": b"x", "b.txt": b"x", "c.txt": b"x"})
        _git(inner, "add", "-f", "c.txt")
    assert _walked(top)[0] == {"a.txt", "inner/a.md", "inner/c.txt"}
    assert _shown(top / "inner") == {"a.md", "c.txt"}


def test_a_sparse_checkout_shows_what_git_shows(project: Project) -> None:
    root = _repository(project({"in/a.json": "x", "out/deep/b.json": "x", "c.json": "x", ".gitignore": "*.json\n"}))
    _git(root, "add", "-f", ".")
    _git(root, "commit", "-qm", "x")
    _git(root, "sparse-checkout", "set", "--cone", "--sparse-index", "in")
    _fill(root, {"in/new.json": b"x", "in/new.md": b"x"})
    assert _walked(root)[0] == _shown(root)


@cases(
    ("path", "why"),
    [
        *(("a.json", ".gitignore:3"), ("sub/b.log", "sub/.gitignore:1"), ("out/deep/c.md", ".gitignore:1")),
        *(("d.tmp", ".git/info/exclude:1"), ("e.own", "~/my rules:1"), (".env", ".env is hidden")),
        (".cfg/a.md", ".cfg/ is hidden"),
        ("venv/a.md", "venv/ is never listed"),
        ("x/.git/config", ".git/ is never listed"),
    ],
)
def test_why_a_file_is_not_found_is_told_with_the_rule(project: Project, path: str, why: str) -> None:
    root = _repository(project({".gitignore": "out/\n!a.json\n*.json\n", "sub/.gitignore": "*.log\n", path: "x"}))
    (root / ".git/info/exclude").write_text("*.tmp\n")
    _user_rules(root, b"*.own\n", "local")
    assert Walker(Root(root), frozenset(), print).why_not(path)[0].removeprefix("ignored by ") == why


def test_a_rule_that_matches_nothing_is_told(project: Project) -> None:
    root = _repository(project({".gitignore": "*.log\n[a\n", "a.md": "x"}))
    told = [(each.code, each.path, each.line) for each in _walked(root)[1]]
    assert told == [("ignore-rule", ".gitignore", 2)]
    # So is an ignore file that is a link, which is not followed.
    root = _repository(project({"rules": "*.md\n", "a.md": "x"}))
    (root / ".gitignore").symlink_to("rules")
    found, notices = _walked(root)
    assert found == _shown(root)
    assert [each.code for each in notices] == ["ignore-rule"]


@cases("rules", ["/out\n", "/out/\n", "/out/*\n", "**/deep\n", "deep/\n!deep/\n", "out/*\n!out/deep\n", "*.md\n"])
@cases("opened", ["out", "out/deep", "in"])
def test_a_folder_opened_alone_is_ignored_as_in_its_repository(project: Project, rules: str, opened: str) -> None:
    files = {".gitignore": rules, "out/a.md": "x", "out/kept.md": "x", "out/deep/b.md": "x", "in/c.md": "x"}
    root = _repository(project(files))
    _git(root, "add", "-f", "out/kept.md")
    found, told = _walked(root / opened)
    assert found == {path.removeprefix(f"{opened}/") for path in _shown(root) if path.startswith(f"{opened}/")}
    asked = ["git", "-C", str(root), "check-ignore", "--no-index", "-q", opened]
    is_ignored = subprocess.run(asked, check=False).returncode == 0
    assert [each.code for each in told] == ["ignored-folder"] * is_ignored


@cases(
    ("lines", "path", "selects", "covers"),
    [
        ((), "a.md", False, False),
        (("*.log", "!keep.log"), "keep.log", False, False),
        (("build/",), "build/a/x", True, True),
        (("build/",), "build", False, False),
        (("!a.md", "*.md", "!a.md"), "a.md", False, False),
        (("*.md", "!a.md", "*.md"), "a.md", True, True),
        (("src/", "!src/gen/"), "src/gen/a.py", False, True),
        (("!src/gen/", "src/"), "src/gen/a.py", True, True),
        (("docs/", "!*.md"), "docs/a.md", False, True),
        (("!*.md", "docs/"), "docs/a.md", True, True),
        (("*.md", "!docs/"), "docs/a.md", True, True),
    ],
)
def test_the_last_rule_decides_about_a_file(lines: tuple[str, ...], path: str, selects: bool, covers: bool) -> None:
    """Git ignores all that is in an ignored folder, globs choose within it."""
    read = git_rules(read_rules(lines))
    assert (read.selects(path), read.covers(path)) == (selects, covers)


def test_thousands_of_rules_hold_together() -> None:
    read = git_rules(read_rules([f"folder-{number}/*.log" for number in range(5_000)]))
    assert [number for number in (0, 4_999, 5_000) if read.selects(f"folder-{number}/a.log")] == [0, 4_999]


@cases("rule", ["[[:none:]]x", "a" * (MAX_RULE + 1), "!", "/", "a\\"])
def test_a_rule_that_matches_nothing_is_not_sound(rule: str) -> None:
    assert not all(map(is_sound, read_rules([rule])))
