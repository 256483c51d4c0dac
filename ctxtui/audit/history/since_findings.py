"""New and fixed findings since an old commit, which is written to a temporary folder and audited."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

from ctxtui.agents.project.base import is_above, is_at_home
from ctxtui.audit.apply_rules import audit
from ctxtui.audit.baseline import split_known
from ctxtui.audit.costs import loaded_paths
from ctxtui.audit.history.old_tree import sources_by_path
from ctxtui.audit.reports.report import Report
from ctxtui.audit.rules import USELESS
from ctxtui.audit.run import drop_notice
from ctxtui.audit.types import Finding
from ctxtui.core.disk.git.git import LINK, SUBMODULE, GitFile, Repository, open_repository
from ctxtui.core.disk.git.index import index_bytes
from ctxtui.core.disk.lay_out import refusal, write_file, write_link
from ctxtui.core.disk.root import Root
from ctxtui.core.documents.listing import PLAIN
from ctxtui.core.documents.reader import Reader
from ctxtui.core.text.markdown.scan import is_markdown
from ctxtui.core.tokens.ledger import Ledger
from ctxtui.workspace.opening.scan import scan
from ctxtui.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class FindingChanges:
    """New findings, and findings that only the old commit has, worst first."""

    new: tuple[Finding, ...] = ()
    gone: tuple[Finding, ...] = ()


def finding_changes(workspace: Workspace, report: Report, commit: str, stop: Event | None = None) -> FindingChanges:
    """Compare a report with the audit of a commit under the same settings.

    Files that no agent, catalog or rule reads are created empty. Findings outside of the project are not compared.
    Setting `stop` ends the work early, without changes. Raises ContextError as `open_repository` does.
    """
    with tempfile.TemporaryDirectory(prefix="ctxtui-") as folder:
        root = Path(os.path.realpath(folder), workspace.root.name or "project")
        root.mkdir()
        repository = open_repository(workspace.root)
        tree = repository.tree(commit)
        _lay_out(repository, tree, _read(workspace, report, tree), root)
        reader = Reader(Root(root), Ledger(None, str(root), drop_notice), workspace.reader.cache)
        scope = replace(workspace.scope, above=False)
        then = Workspace(reader, scan(reader, scope, drop_notice), scope)
        old = audit(then, report.counter, report.settings, stop=stop)
    if not old.is_complete:
        return FindingChanges()
    before, now = _comparable_findings(old.findings), _comparable_findings(report.result.findings)
    new, _, _ = split_known(now, (finding.key for finding in before))
    gone, _, _ = split_known(before, (finding.key for finding in now))
    return FindingChanges(tuple(new), tuple(gone))


def _comparable_findings(findings: Iterable[Finding]) -> list[Finding]:
    return [
        each
        for each in findings
        if each.rule != USELESS and not (each.path and (is_above(each.path) or is_at_home(each.path)))
    ]


def _read(workspace: Workspace, report: Report, tree: Mapping[str, GitFile]) -> frozenset[str]:
    """The paths of an old commit whose text the audit may read: context, Markdown, settings, files loaded now."""
    known = {each.path: each.source for each in workspace.references if each.source != PLAIN}
    sources = sources_by_path(tree, known, workspace.scope.table)
    loaded = loaded_paths(report.result.agents)
    return frozenset(
        path
        for path, source in sources.items()
        if source != PLAIN or is_markdown(path) or path in loaded or "/" not in path or path.startswith(".")
    ) | frozenset(path for path in tree if "/." in path)


def _lay_out(repository: Repository, tree: Mapping[str, GitFile], read: frozenset[str], root: Path) -> None:
    """Write a commit's files below `root`, links last. Files that are not in `read` are empty."""
    files = {path: file for path, file in tree.items() if file.mode != SUBMODULE and not refusal(path)}
    paths: dict[str, list[str]] = {}
    for path, file in files.items():
        if file.mode != LINK and path in read:
            paths.setdefault(file.id, []).append(path)
    # Folder and file names may clash in a tree. Files that cannot be written are not compared.
    with suppress(OSError):
        for id_, data in repository.contents(paths):
            for path in paths.pop(id_):
                write_file(root, path, data)
        for path, file in files.items():
            if file.mode != LINK:
                write_file(root, path, b"")
        links = {path: file.id for path, file in files.items() if file.mode == LINK}
        targets = dict(repository.contents(links.values()))
        for path, id_ in links.items():
            write_link(root, path, targets.get(id_, b""), outside=True)
        # All files of a commit are tracked, including those that its ignore files match.
        write_file(root, ".git/index", index_bytes(files))
