"""Findings that came and went since a commit, which is laid out in a folder of its own and never below a link."""

from __future__ import annotations

from pathlib import Path
from threading import Event

from ctxtui.audit.history.since_findings import FindingChanges, finding_changes
from ctxtui.audit.reports.report import Report
from ctxtui.audit.run import run_audit
from ctxtui.session.saved.config import load_config
from ctxtui.workspace.workspace import Workspace
from tests.audit.repositories import Repo


def audited(repo: Repo) -> tuple[Workspace, Report]:
    """The project as it is now, audited."""
    workspace = Workspace.open(repo.root)
    return workspace, run_audit(workspace, workspace.session().budget, load_config(repo.root))


def test_only_findings_that_differ_are_told(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    then = repo.commit({"AGENTS.md": "[a](old.md)\n", "docs/AGENTS.md": "[b](same.md)\n", "x.py": "pass\n"})
    repo.write({"AGENTS.md": "[x](x.py)\n", "lib/AGENTS.md": "[c](new.md)\n"})
    changes = finding_changes(*audited(repo), then)
    assert [(each.rule, each.path) for each in changes.new] == [("broken-link", "lib/AGENTS.md")]
    assert [(each.rule, each.path) for each in changes.gone] == [("broken-link", "AGENTS.md")]


def test_the_same_files_have_the_same_findings(tmp_path: Path, sample: Path) -> None:
    repo = Repo(sample)
    then = repo.commit()
    workspace, report = audited(repo)
    assert len(report.findings) > 10
    assert finding_changes(workspace, report, then) == FindingChanges()


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
    whole = repo.git("mktree", data="\n".join(entries).encode())
    crafted = repo.git("commit-tree", whole, "-m", "crafted")
    workspace, report = audited(repo)
    for commit in (then, crafted):
        finding_changes(workspace, report, commit)
    assert list(outside.iterdir()) == []


def test_work_that_is_no_longer_wanted_ends(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    then = repo.commit({"AGENTS.md": "[a](old.md)\n"})
    repo.write({"AGENTS.md": "# None\n"})
    stop = Event()
    stop.set()
    assert finding_changes(*audited(repo), then, stop) == FindingChanges()


def test_a_tracked_file_that_a_rule_matches_is_part_of_the_old_commit(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "r")
    repo.write({".gitignore": "AGENTS.md\n", "AGENTS.md": "[a](old.md)\n"})
    repo.git("add", "-f", "AGENTS.md")
    then = repo.commit()
    assert finding_changes(*audited(repo), then) == FindingChanges()
