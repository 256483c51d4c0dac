"""What changes since a ref cost: by file, by section, at every agent's start, and the findings that came and went."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from threading import Event

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.agents import audit_agents
from ctxtui.audit.history.since_findings import FindingChanges, finding_changes
from ctxtui.audit.history.since_ref import Since, section_changes, since
from ctxtui.audit.reports.report import Report
from ctxtui.audit.run import run_audit
from ctxtui.core import get_counter
from ctxtui.core.base.errors import ContextError, NotFound
from ctxtui.core.base.notices import Notice
from ctxtui.session.saved.config import load_config
from ctxtui.workspace.scope import Scope
from ctxtui.workspace.workspace import Workspace
from tests.audit.repositories import Repo

COUNTER = get_counter()
count = COUNTER.count
RULES = "# Rules\n\nAlways.\n\n## Style\n\nShort lines.\n\n## Tests\n\nWrite them.\n"
GROWN = RULES.replace("Short lines.", "Short lines, and short words in them, always.") + "\n## New\n\nMore of it.\n"
API = "---\npaths: src/**\n---\n\n# API\n\nSpeak JSON.\n"


def _since(repo: Repo, ref: str = "main", **options: object) -> Since:
    scope = options.pop("scope", Scope())
    workspace = Workspace.open(repo.root, scope=scope, on_notice=lambda _: None)  # type: ignore[arg-type]
    return since(workspace, COUNTER, ref, on_notice=lambda _: None, **options)  # type: ignore[arg-type]


def _rows(found: Since) -> dict[str, tuple[str, int | None, int | None]]:
    return {change.path: (change.kind, change.before, change.after) for change in found.files}


def test_files_added_removed_changed_and_moved(repo: Repo) -> None:
    gone, stays, moves = "# Gone\n\nwords\n", "# Stays\n", "# Moves\n\nto another place\n"
    files = {"AGENTS.md": RULES, ".context/GONE.md": gone, ".context/STAYS.md": stays, ".context/OLD.md": moves}
    repo.commit({**files, "README.md": "plain\n"})
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit({"AGENTS.md": GROWN, ".context/GONE.md": None, ".context/OLD.md": None, ".context/NEW.md": moves})
    repo.write({".context/UNTRACKED.md": "not yet added\n", "README.md": "plain and changed\n"})
    found = _since(repo)
    assert _rows(found) == {
        "AGENTS.md": ("changed", count(RULES), count(GROWN)),
        ".context/GONE.md": ("removed", count(gone), None),
        ".context/NEW.md": ("moved", count(moves), count(moves)),
        ".context/UNTRACKED.md": ("added", None, count("not yet added\n")),
    }
    assert {change.path: change.old_path for change in found.files}[".context/NEW.md"] == ".context/OLD.md"
    assert found.before.total == sum(map(count, files.values()))
    assert found.tokens == sum(change.tokens for change in found.files)
    sizes = [abs(change.tokens) for change in found.files]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_sections_add_up_to_the_file(repo: Repo, encoding: str) -> None:
    repo.commit({"AGENTS.md": RULES.encode(encoding)})
    start = _since(repo, "HEAD").after.start("codex")
    repo.write({"AGENTS.md": GROWN.replace("## Tests\n\nWrite them.\n\n", "").encode(encoding)})
    found = _since(repo, "HEAD")
    # Agents get any byte order mark, and take UTF-16 for noise.
    assert found.before.start("codex") == start >= count(RULES)
    (change,) = found.files
    assert sum(section.tokens for section in change.sections) == change.tokens
    slugs = {section.slug: (section.before is None, section.after is None) for section in change.sections}
    assert slugs == {"style": (False, False), "new": (True, False), "tests": (False, True)}


@given(st.text(alphabet="#ab \n-", max_size=60), st.text(alphabet="#ab \n-", max_size=60))
def test_sections_of_any_two_texts_add_up(before: str, after: str) -> None:
    changes = section_changes("x.md", before, after, COUNTER)
    assert sum(change.tokens for change in changes) == count(after) - count(before)


def test_agents_at_their_start(repo: Repo) -> None:
    old = {"CLAUDE.md": "@docs/style.md\n\nBe brief.\n", "docs/style.md": "Short.\n", ".claude/rules/a.md": "Rule.\n"}
    repo.commit(old)
    new = {"docs/style.md": "Short. " * 50, ".claude/rules/b.md": "Another rule.\n", ".claude/rules/api.md": API}
    repo.write(new)
    found = _since(repo, "HEAD")

    def start(files: Mapping[str, str]) -> int:
        contexts = audit_agents(list(files), files.get, count)
        return next(each.start_tokens for each in contexts if each.agent.id == "claude-code")

    change = next(change for change in found.agents if change.agent == "claude-code")
    assert (change.before, change.after) == (start(old), start(old | new))
    assert change.before < change.after
    assert change.growth.tokens == change.after - change.before
    assert change.growth.path == "docs/style.md"
    assert change.growth.path_tokens == count(new["docs/style.md"]) - count(old["docs/style.md"])


def test_a_plain_file_counts_once_an_agent_imports_it(repo: Repo) -> None:
    repo.commit({"CLAUDE.md": "See the docs.\n", "docs/all.md": "Everything.\n"})
    repo.write({"CLAUDE.md": "See @docs/all.md\n"})
    assert _rows(_since(repo, "HEAD"))["docs/all.md"] == ("added", None, count("Everything.\n"))
    repo.commit()
    repo.write({"CLAUDE.md": "See the docs.\n"})
    assert _rows(_since(repo, "HEAD"))["docs/all.md"] == ("removed", count("Everything.\n"), None)


def test_an_agent_that_came_and_one_that_went(repo: Repo) -> None:
    repo.commit({"CLAUDE.md": "Be brief.\n"})
    repo.write({"CLAUDE.md": None, "GEMINI.md": "Be brief, please.\n"})
    changes = {change.agent: (change.before, change.after) for change in _since(repo, "HEAD").agents}
    assert changes["claude-code"][1] == changes["gemini-cli"][0] == 0
    assert changes["claude-code"][0] > 0
    assert changes["gemini-cli"][1] > 0


def test_what_others_did_meanwhile_is_not_charged(repo: Repo) -> None:
    first = repo.commit({"AGENTS.md": RULES})
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit({".context/MINE.md": "mine\n"})
    repo.git("checkout", "-q", "main")
    theirs = repo.commit({".context/THEIRS.md": "theirs\n"})
    repo.git("checkout", "-q", "topic")
    found = _since(repo)
    assert (found.base, set(_rows(found))) == (first, {".context/MINE.md"})
    # Without a common history, the ref itself is the base.
    repo.git("checkout", "-q", "--orphan", "alone")
    repo.commit({"AGENTS.md": GROWN})
    found = _since(repo)
    assert (found.base, [notice.code for notice in found.notices]) == (theirs, ["no-merge-base"])
    assert found.tokens == count(GROWN) + count("mine\n") - count(RULES) - count("theirs\n")


def test_a_detached_head_and_a_shallow_clone(repo: Repo, tmp_path: Path) -> None:
    first = repo.commit({"AGENTS.md": RULES})
    repo.commit({"AGENTS.md": GROWN})
    repo.git("checkout", "-q", "--detach", "main")
    assert _since(repo, first).tokens == count(GROWN) - count(RULES)
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{repo.root}", str(clone)], check=True)
    shallow = Repo(clone)
    shallow.write({"AGENTS.md": RULES})
    assert _since(shallow, "HEAD").tokens == count(RULES) - count(GROWN)
    with pytest.raises(NotFound) as caught:
        _since(shallow, first)
    assert "shallow" in str(caught.value.hint)


def test_without_commits(repo: Repo) -> None:
    repo.write({"AGENTS.md": RULES})
    for ref in ("HEAD", "main"):
        with pytest.raises(ContextError, match="no commits yet"):
            _since(repo, ref)


def test_a_link_counts_as_the_walk_reads_it(repo: Repo) -> None:
    repo.write({"AGENTS.md": RULES, ".agents/skills/s/SKILL.md": "---\nname: s\ndescription: d\n---\nDo.\n"})
    (repo.root / "CLAUDE.md").symlink_to("AGENTS.md")
    (repo.root / ".claude").mkdir()
    (repo.root / ".claude/skills").symlink_to("../.agents/skills")
    repo.commit()
    assert _since(repo, "HEAD").files == ()
    repo.write({"AGENTS.md": GROWN})
    found = _since(repo, "HEAD")
    assert _rows(found) == {"AGENTS.md": ("changed", count(RULES), count(GROWN))}
    assert found.tokens == count(GROWN) - count(RULES)
    repo.write({"AGENTS.md": RULES, "CLAUDE.md": None})
    assert _rows(_since(repo, "HEAD")) == {}


def test_a_file_that_becomes_a_link_is_gone_and_a_link_that_becomes_a_file_is_new(repo: Repo) -> None:
    repo.commit({"AGENTS.md": RULES, "CLAUDE.md": GROWN})
    for target in ("AGENTS.md", "gone.md"):
        (repo.root / "CLAUDE.md").unlink()
        (repo.root / "CLAUDE.md").symlink_to(target)
        assert _rows(_since(repo, "HEAD")) == {"CLAUDE.md": ("removed", count(GROWN), None)}, target
    repo.commit({})
    repo.write({"CLAUDE.md": None})
    repo.write({"CLAUDE.md": GROWN})
    assert _rows(_since(repo, "HEAD")) == {"CLAUDE.md": ("added", None, count(GROWN))}


def test_line_ends_binary_files_and_names_that_are_no_utf_8(repo: Repo) -> None:
    repo.write({"AGENTS.md": RULES, ".claude/skills/s/SKILL.md": "Do.\n", ".claude/skills/s/a.png": b"\x89PNG\0\0"})
    (repo.root / os.fsdecode(b".claude/rul\xe9.md")).write_text("x")
    repo.commit()
    # Line ends that git changes are no change.
    repo.write({"AGENTS.md": RULES.replace("\n", "\r\n")})
    found = _since(repo, "HEAD")
    assert (found.files, found.tokens) == ((), 0)
    assert all(change.before == change.after for change in found.agents)
    repo.write({".claude/skills/s/a.png": None, "AGENTS.md": GROWN})
    assert set(_rows(_since(repo, "HEAD"))) == {"AGENTS.md"}


def test_files_of_a_submodule_are_not_compared(repo: Repo) -> None:
    Repo(repo.root / "lib").commit({"AGENTS.md": "theirs\n"})
    repo.commit({"AGENTS.md": RULES})
    repo.write({"lib/CLAUDE.md": "new in there\n", "AGENTS.md": GROWN})
    found = _since(repo, "HEAD")
    assert set(_rows(found)) == {"AGENTS.md"}
    assert Notice("submodule", found.notices[0].message, "lib") in found.notices


def test_plain_files_and_those_on_disk_that_are_not_listed_are_not_compared(repo: Repo) -> None:
    plain = {"README.md": "one\n", "gone.md": "two\n", "x.py": "pass\n"}
    repo.commit({"AGENTS.md": RULES, ".context/A.md": "a\n", ".context/B.md": "b\n", **plain})
    repo.write({"README.md": "three\n", "gone.md": None, "x.py": "changed\n"})
    scope = Scope(exclude=(".context/*",))
    assert _since(repo, "HEAD").files == _since(repo, "HEAD", scope=scope).files == ()
    repo.write({".context/A.md": None})
    assert _since(repo, "HEAD", scope=scope).files == ()
    assert set(_rows(_since(repo, "HEAD"))) == {".context/A.md"}


def test_a_project_below_the_repository_in_estimates(repo: Repo) -> None:
    repo.commit({"AGENTS.md": "outer\n", "app/AGENTS.md": RULES})
    repo.write({"AGENTS.md": "outer, changed\n", "app/AGENTS.md": GROWN})
    workspace = Workspace.open(repo.root / "app", on_notice=lambda _: None)
    for counter in (COUNTER, get_counter("heuristic")):
        found = since(workspace, counter, "HEAD")
        assert _rows(found) == {"AGENTS.md": ("changed", counter.count(RULES), counter.count(GROWN))}
        (change,) = found.files
        assert sum(section.tokens for section in change.sections) == change.tokens


_TEXTS = st.sampled_from([None, "", "one\n", "# Two\n\nwords\n", "# Three\n\n## Four\n", "\xff\n", "@AGENTS.md\n"])
_PATHS = ("AGENTS.md", "CLAUDE.md", ".context/TASKS.md", ".claude/rules/r.md", "sub/AGENTS.md")


@settings(max_examples=15)
@given(st.tuples(*[_TEXTS] * len(_PATHS)), st.tuples(*[_TEXTS] * len(_PATHS)))
def test_what_was_before_and_after_is_what_an_audit_says_of_each(
    tmp_path_factory: pytest.TempPathFactory, old: tuple[str | None, ...], new: tuple[str | None, ...]
) -> None:
    repo = Repo(tmp_path_factory.mktemp("pair") / "r")
    before = {path: text for path, text in zip(_PATHS, old, strict=True) if text is not None}
    after = {path: text for path, text in zip(_PATHS, new, strict=True) if text is not None}
    repo.commit(before)
    repo.write({**{path: None for path in before if path not in after}, **after})
    found = _since(repo, "HEAD")
    for files, costs in ((before, found.before), (after, found.after)):
        contexts = audit_agents(list(files), files.get, count)
        assert {each.agent.id: each.start_tokens for each in contexts} == {
            each.agent.id: costs.start(each.agent.id) for each in contexts
        }
        assert costs.files == {path: count(text) for path, text in files.items()}
    assert found.tokens == sum(change.tokens for change in found.files)


def audited(repo: Repo) -> tuple[Workspace, Report]:
    """The project as it is now, audited."""
    workspace = Workspace.open(repo.root)
    return workspace, run_audit(workspace, workspace.session().budget, load_config(repo.root))


def test_only_findings_that_differ_are_told(repo: Repo) -> None:
    then = repo.commit({"AGENTS.md": "[a](old.md)\n", "docs/AGENTS.md": "[b](same.md)\n", "x.py": "pass\n"})
    repo.write({"AGENTS.md": "[x](x.py)\n", "lib/AGENTS.md": "[c](new.md)\n", "~lib/AGENTS.md": "[d](other.md)\n"})
    changes = finding_changes(*audited(repo), then)
    new = [("broken-link", "lib/AGENTS.md"), ("broken-link", "~lib/AGENTS.md")]
    assert [(each.rule, each.path) for each in changes.new] == new
    assert [(each.rule, each.path) for each in changes.gone] == [("broken-link", "AGENTS.md")]


def test_the_same_files_have_the_same_findings(sample: Path) -> None:
    repo = Repo(sample)
    then = repo.commit()
    workspace, report = audited(repo)
    assert len(report.findings) > 10
    assert finding_changes(workspace, report, then) == FindingChanges()


def test_a_tracked_file_that_a_rule_matches_is_part_of_the_old_commit(repo: Repo) -> None:
    repo.write({".gitignore": "AGENTS.md\n", "AGENTS.md": "[a](old.md)\n"})
    repo.git("add", "-f", "AGENTS.md")
    then = repo.commit()
    assert finding_changes(*audited(repo), then) == FindingChanges()
    repo.write({"AGENTS.md": "# None\n"})
    assert finding_changes(*audited(repo), then) != FindingChanges()
    # Work that is no longer wanted ends.
    stop = Event()
    stop.set()
    assert finding_changes(*audited(repo), then, stop) == FindingChanges()


def test_links_of_an_old_commit_lead_nowhere_else(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    repo = Repo(tmp_path / "r")
    (repo.root / "AGENTS.md").write_text("# Rules\n")
    (repo.root / "CLAUDE.md").symlink_to("AGENTS.md")
    (repo.root / "out").symlink_to(outside)
    then = repo.commit()
    # A tree with a link and, by the same name, a folder with another link in it.
    link = repo.git("hash-object", "-w", "--stdin", data=str(outside).encode())
    text = repo.git("hash-object", "-w", "--stdin", data=b"# Rules\n")
    inner = repo.git("mktree", data=f"120000 blob {link}\tlink\n".encode())
    entries = (f"100644 blob {text}\tAGENTS.md", f"120000 blob {link}\tout", f"040000 tree {inner}\tout", "")
    crafted = repo.git("commit-tree", repo.git("mktree", data="\n".join(entries).encode()), "-m", "crafted")
    workspace, report = audited(repo)
    for commit in (then, crafted):
        finding_changes(workspace, report, commit)
    assert list(outside.iterdir()) == []
