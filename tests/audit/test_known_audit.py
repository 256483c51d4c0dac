"""What an audit found is kept: an unchanged project is not audited again, and every change is seen."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from ctxtui.audit.reports.report import Report
from ctxtui.audit.run import AuditOptions, run_audit
from ctxtui.audit.slim.known_saving import known_saving
from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.walk import Walker
from ctxtui.session.budget import Budget
from ctxtui.session.saved.config import load_config
from ctxtui.workspace.scope import EVERYTHING, Scope
from ctxtui.workspace.workspace import Workspace
from tests.audit.auditing_helpers import LOREM, ignore
from tests.caching import cache_off, forget, kept

TOKEN = "ghp_" + "x7Qp2Lr9Tz4Vn8Wk3Y" + "b6Mc1Hd5Js0Gw2Au7E"
FILES = {
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/info/exclude": "secret/\nlib/out/\n",
    ".gitignore": "build/\n*.local.md\n",
    "AGENTS.md": f"# Work\n\nSee [a](docs/a.md), [out](build/out.md), [none](later/x.md) and `src/main.py`.\n{LOREM}",
    "CLAUDE.md": "@AGENTS.md\n@build/out.md\n@notes.local.md\n",
    "packages/app/CLAUDE.md": "# App\n\nSee [up](../../docs/a.md) and @../../docs/a.md.\n",
    "packages/app/AGENTS.md": "# App\n\nRun `src/run.sh`.\n",
    ".claude/skills/pay/SKILL.md": "---\nname: pay\ndescription: Pays.\n---\nRead [more](more.md), run `x/go.py`.\n",
    ".claude/settings.json": "{}",
    ".cursor/rules/a.mdc": "---\nglobs: 'lib/**/*.ts'\nalwaysApply: false\n---\nUse types.\n",
    ".mcp.json": '{"mcpServers": {"one": {"command": "one"}}}',
    "docs/a.md": f"# A\n\n{LOREM}",
    "build/out.md": "# Out\n\nMade.\n",
    "src/main.py": "print()\n",
    "ctxtui.toml": "",
}
AT_HOME = {".claude/CLAUDE.md": "Mine: @more.md\n", ".claude/more.md": "More.\n"}
PLACES = (
    *(f"project/{name}" for name in FILES),
    *(f"project/{name}" for name in ("later/x.md", "notes.local.md", "lib/deep/a.ts", "src/run.sh", "lib/out/a.ts")),
    *(f"project/.claude/skills/pay/{name}" for name in ("more.md", "x/go.py")),
    *(f"project/{name}" for name in ("node_modules/a/lib/x.ts", "AGENTS.override.md", ".claude/rules/r.md")),
    *(f"home/{name}" for name in AT_HOME),
)
TEXTS = (
    *("", "# Other\n", "{", "later/\nlib/\n", "\0", LOREM),
    *(f"The token is {TOKEN} for all.\n", "@docs/a.md [x](y.md)\n"),
    *("```\n[shown](gone.md)\n```\n", "<!-- ctxtui-ignore: broken-link: later -->\n[later](later.md)\n", "A" * 500),
    "# One\n\nA line with a zero\u200bwidth character in the middle of it.\n",
    "---\ndescription: x\nestimatedTokens: 9000\nsections:\n  - name: One\n    estimatedTokens: 900\n---\n# One\n",
    *('[rules]\nbroken-link = "off"\n', '[limits]\ntotal = 10\nstart.claude-code = "20"\n', "[audit]\n"),
    *('[rules]\nmissing-path = "error"\n', '[[rules.ignore]]\npaths = ["AGENTS.md"]\nreason = "so"\n'),
    '{"claudeMdExcludes": ["**/packages/**"]}',
)
ROOTS = ("project", "project/packages/app")
SCOPES = (EVERYTHING, Scope(with_ignored=True), Scope(exclude=("docs/",)), Scope(home=True))

# A clock that is always well after the last change, as when people come back to a project.
_ticks = count(1)


@pytest.fixture(autouse=True)
def _later(monkeypatch: pytest.MonkeyPatch) -> None:
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + 3_600 * 10**9)


def _made(folder: Path) -> Path:
    for home, files in (("project", FILES), ("home", AT_HOME)):
        for name, text in files.items():
            _write(folder / home / name, text)
    return folder


def _write(place: Path, text: str) -> None:
    if any(each.is_file() for each in place.parents):
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    _remove(place, "")
    place.write_text(text)
    moment = 1_700_000_000 * 10**9 + next(_ticks) * 10**6
    os.utime(place, ns=(moment, moment))


def _remove(place: Path, _text: str) -> None:
    if place.is_symlink() or place.is_file():
        place.unlink()
    elif place.is_dir():
        shutil.rmtree(place)


def _remove_folder(place: Path, _text: str) -> None:
    if place.parent.name not in ("project", "home"):
        _remove(place.parent, "")


def _link(place: Path, text: str) -> None:
    """A link to a file, a folder or nothing, which other edits may change."""
    if place.parent.is_dir():
        _remove(place, "")
        place.symlink_to(
            os.path.relpath(place.parents[0] / ("AGENTS.md", "docs", "none")[len(text) % 3], place.parent)
        )


def _folder(place: Path, _text: str) -> None:
    if place.parent.is_dir():
        _remove(place, "")
        place.mkdir()


EDITS: tuple[Callable[[Path, str], None], ...] = (_write, _write, _remove, _remove_folder, _link, _folder)


def _told(*asked: Any) -> str:
    """All that an audit says, with the largest saving, or why there is none."""
    try:
        workspace, report = _audited(*asked)
    except ContextError as error:
        return repr(error)
    return f"{_words(report)} {known_saving(workspace, report)}"


def _report(*asked: Any) -> Report:
    return _audited(*asked)[1]


def _audited(
    root: Path, scope: Scope = EVERYTHING, tokenizer: str = "o200k_base", cwd: str = ""
) -> tuple[Workspace, Report]:
    workspace = Workspace.open(root, scope=scope, on_notice=ignore)
    budget = Budget().with_budget(tokenizer=tokenizer)
    return workspace, run_audit(workspace, budget, load_config(root, on_notice=ignore), AuditOptions(cwd=cwd), ignore)


def _words(report: Report) -> str:
    return repr((report.result, report.totals, report.limits, report.settings))


def _cold(*asked: Any) -> str:
    """What is found without the cache."""
    with cache_off():
        return _told(*asked)


# Three whole audits after every edit.
@settings(max_examples=12, phases=[Phase.generate])
@given(
    st.lists(
        st.tuples(
            *map(st.sampled_from, (EDITS, PLACES, TEXTS, ROOTS, SCOPES, ("o200k_base", "heuristic", "cl100k_base")))
        ),
        min_size=1,
        max_size=5,
    )
)
def test_after_any_edit_what_is_kept_is_what_a_first_audit_finds(
    tmp_path_factory: pytest.TempPathFactory, edits: list[Any]
) -> None:
    folder = _made(tmp_path_factory.mktemp("all"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder / "home"))
        for edit, name, text, inner, scope, tokenizer in edits:
            root = folder / inner
            asked = (root, scope, tokenizer)
            if root.is_dir():
                _told(*asked)
            edit(folder / name, text)
            if root.is_dir():
                cold = _cold(*asked)
                assert _told(*asked) == cold
                assert _told(*asked) == cold


SEEN = {
    "a target that is made": ("later/x.md", _write, "# X\n", EVERYTHING, "project"),
    "a target that is removed": ("docs/a.md", _remove, "", EVERYTHING, "project"),
    "a path that the text names": ("src/run.sh", _write, "run\n", EVERYTHING, "project"),
    "a path that git now leaves out": (".git/info/exclude", _write, "src/*.sh\n", EVERYTHING, "project"),
    "a file that is imported though it is ignored": ("notes.local.md", _write, LOREM, EVERYTHING, "project"),
    "a file that a glob means in an ignored folder": ("lib/out/a.ts", _write, "", EVERYTHING, "project"),
    "a file above": ("AGENTS.md", _write, "# Other\n\n[x](y.md)\n", EVERYTHING, "project/packages/app"),
    "a file that becomes a link": ("packages/app/AGENTS.md", _link, "", EVERYTHING, "project"),
    "a rule that is switched off": ("ctxtui.toml", _write, '[rules]\nbroken-link = "off"\n', EVERYTHING, "project"),
    "a limit": ("ctxtui.toml", _write, "[limits]\ntotal = 10\n", EVERYTHING, "project"),
    "a file at home": ("../home/.claude/more.md", _write, LOREM, Scope(home=True), "project"),
}


@pytest.mark.parametrize("case", SEEN)
def test_each_change_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    name, edit, text, scope, inner = SEEN[case]
    root = _made(tmp_path) / inner
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    before = _told(root, scope)
    assert kept("audits")
    edit(tmp_path / "project" / name, text)
    after = _told(root, scope)
    assert after != before
    assert after == _cold(root, scope)


def test_a_link_to_nowhere_that_leads_elsewhere_is_seen(tmp_path: Path) -> None:
    root = _made(tmp_path) / "project"
    place = root / ".claude/skills/pay/old.md"
    place.symlink_to("nowhere.md")
    assert "nowhere.md" in _words(_report(root))
    place.unlink()
    place.symlink_to("anywhere.md")
    assert "anywhere.md" in _told(root)


def _told_without(root: Path, *names: str) -> str:
    """The output of two commands, the second without loading any of some modules.

    In processes of their own, because modules stay loaded.
    """
    code = (
        "import sys, time; now = time.time_ns; time.time_ns = lambda: now() + 3_600 * 10**9;"
        "from ctxtui.cli.__main__ import main; main(['audit', sys.argv[1]]);"
        "print([name for name in sys.argv[2:] if name in sys.modules])"
    )
    words = [sys.executable, "-c", code, str(root), *names]
    runs = [subprocess.run(words, capture_output=True, check=True, text=True).stdout for _ in range(2)]
    assert runs[0].splitlines()[:-1] == runs[1].splitlines()[:-1]
    assert runs[1].splitlines()[-1] == "[]"
    return runs[0]


def test_what_is_known_needs_neither_rules_nor_texts(tmp_path: Path) -> None:
    _told_without(
        _made(tmp_path) / "project",
        *(f"ctxtui.audit.{name}" for name in ("apply_rules", "rules.references.links", "context")),
    )


def test_what_is_known_lists_no_folder_until_one_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, listed = _made(tmp_path) / "project", list[int]()
    every = Walker.every_path

    def listing(walker: Walker) -> list[str]:
        listed.append(1)
        return every(walker)

    monkeypatch.setattr(Walker, "every_path", listing)
    before = _told(root)
    assert listed
    listed.clear()
    assert _told(root) == before
    assert not listed
    (root / "build/deep").mkdir()
    assert _told(root) == before
    assert listed
    listed.clear()
    (root / "build/deep/b.bin").write_text("")
    (root / "build/deep/c.ts").write_text("")
    assert _told(root) == _cold(root)
    assert listed


def test_a_folder_that_could_not_be_listed_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, real = _made(tmp_path) / "project", os.scandir
    _write(root / "lib/out/a.ts", "")

    def refusing(place: Any) -> Any:
        if str(place).endswith("lib/out"):
            raise PermissionError(13, "no permission")
        return real(place)

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", refusing)
        before = _told(root)
        assert kept("audits")
    assert _told(root) == _cold(root) != before


_TEXT = "".join(f"Line {number} says something of its own.\n" for number in range(100))
TWICE = dict.fromkeys(("AGENTS.md", "CLAUDE.md", ".cursor/rules/a.mdc"), _TEXT)


def test_what_can_be_saved_is_known_without_a_parser(tmp_path: Path) -> None:
    for name, text in TWICE.items():
        _write(tmp_path / "project" / name, text)
    names = ("yaml", "markdown_it", "pyromark", "ctxtui.audit.context", "ctxtui.audit.slim.plan")
    assert "can be saved" in _told_without(tmp_path / "project", *names)


def test_what_can_be_saved_is_measured_again_after_a_change(tmp_path: Path) -> None:
    root = tmp_path / "project"
    for name, text in TWICE.items():
        _write(root / name, text)
    first = known_saving(*_audited(root))
    assert first
    assert known_saving(*_audited(root)) == first
    _write(root / "CLAUDE.md", LOREM)
    assert known_saving(*_audited(root)) != first


def test_what_another_counter_or_folder_finds_is_another_audit(tmp_path: Path) -> None:
    root = _made(tmp_path) / "project"
    asked = [(root,), (root, EVERYTHING, "heuristic"), (root, EVERYTHING, "o200k_base", "packages/app")]
    first = [_told(*each) for each in asked]
    assert len(set(first)) == len(asked) == kept("audits")
    assert [_told(*each) for each in asked] == first


def test_files_that_may_change_unseen_are_audited_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    # All files are young, no matter how long the audit takes.
    monkeypatch.setattr("ctxtui.core.disk.content._RACY_NS", 10**15)
    root = _made(tmp_path) / "project"
    (root / "docs/new.md").write_text("new\n")
    _report(root)
    assert not kept("audits")


def test_an_audit_that_was_stopped_is_not_kept(tmp_path: Path) -> None:
    root = _made(tmp_path) / "project"
    stop = Event()
    stop.set()
    workspace = Workspace.open(root, on_notice=ignore)
    config = load_config(root, on_notice=ignore)
    assert not run_audit(workspace, Budget(), config, on_notice=ignore, stop=stop).result.is_complete
    assert not kept("audits")
    assert run_audit(workspace, Budget(), config, on_notice=ignore).result.is_complete


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("AGENTS.md", "# Key\n\nSee [the key](docs/{}) of all.\n"),
        (".claude/skills/key/SKILL.md", "---\nname: key\ndescription: The token {} is ours.\n---\n# Key\n"),
    ],
)
def test_no_secret_is_kept_with_what_was_found(tmp_path: Path, name: str, text: str) -> None:
    for word in ("zero", TOKEN):
        _write(tmp_path / word / name, text.format(word))
        forget("audits")
        assert word in _told(tmp_path / word)
        assert kept("audits") == (word != TOKEN)


def test_what_cannot_be_read_in_any_case_does_not_keep_an_audit_from_being_known(tmp_path: Path) -> None:
    """Context files that are not text, and links to nowhere beside them."""
    root = tmp_path / "project"
    files = {"AGENTS.md": "# A\n\nSee [x](x.md).\n", ".claude/rules/x.md": "a\0b"}
    skill = {".claude/skills/a/SKILL.md": "# A\n", ".claude/skills/a/a.png": "a\0b"}
    for name, text in {**files, **skill}.items():
        _write(root / name, text)
    for name in ("x.md", "CLAUDE.md", "README.md"):
        (root / name).symlink_to("nowhere")
    first = _told(root)
    assert kept("audits")
    assert _told(root) == first
    _write(root / ".claude/rules/x.md", "# Rule\n")
    (root / "nowhere").write_text("# Now here\n")
    assert _told(root) != first
