"""The rule about files whose imports together make a start large."""

from __future__ import annotations

import posixpath
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from ctxtui.agents import AgentContext
from ctxtui.agents.costs import Charge
from ctxtui.agents.types import AT_START
from ctxtui.audit.context import Audited
from ctxtui.audit.rules.phrases import names, only
from ctxtui.audit.types import Finding
from ctxtui.core.base.wording import noun

# One large file has a finding of its own.
_SEVERAL = 2


class Brought(NamedTuple):
    """The files that one file brings to a start by imports: how many and their tokens.

    `most_from` is the file with the most of the imports, with how many these are.
    """

    root: str
    files: int
    tokens: int
    most_from: str
    direct: int


def most_at_start(audited: Audited, contexts: Sequence[AgentContext]) -> int:
    """The tokens that a file may have at the start of agents; more if the window is larger than their usual one."""
    usual = max(each.agent.window or 1 for each in contexts)
    return int(audited.settings.large_tokens * max((audited.settings.window or usual) / usual, 1))


def large_imports(audited: Audited) -> Iterator[Finding]:
    """Files that bring many others with them, which together are large."""
    met: defaultdict[Brought, list[AgentContext]] = defaultdict(list)
    first: dict[Brought, Charge] = {}
    for context in audited.real_agents:
        most = most_at_start(audited, [context])
        imported = {charge.path: charge for charge in context.at(*AT_START) if charge.imported_by and not charge.home}
        # What is large alone has a finding of its own.
        small = {path for path, charge in imported.items() if not _is_large(charge, most)}
        for brought in _brought(imported, small):
            if brought.files >= _SEVERAL and brought.tokens > most:
                met[brought].append(context)
                first.setdefault(brought, _first(imported, brought.most_from))
    for brought, contexts in met.items():
        yield _finding(audited, brought, contexts, first[brought])


def _is_large(charge: Charge, most: int) -> bool:
    return (charge.tokens or 0) > most or any(passed.limit.then == "warn" for passed in charge.passed)


def _first(imported: Mapping[str, Charge], importer: str) -> Charge:
    return next(charge for charge in imported.values() if charge.imported_by == importer)


def _finding(audited: Audited, brought: Brought, contexts: Sequence[AgentContext], first: Charge) -> Finding:
    found = import_of(audited, first)
    most = f"; {brought.most_from} imports {brought.direct:,} of them" if brought.most_from != brought.root else ""
    message = (
        f"{names(contexts)} {noun(len(contexts), 'reads', 'read')} {brought.files:,} files at every start because of"
        f" the imports that begin in {brought.root}: {brought.tokens:,} tokens, more"
        f" than {most_at_start(audited, contexts):,}{most}; import only what every task needs, and name the others by"
        " their paths, without `@`"
    )
    path, line, evidence, agent = brought.most_from, found[1] if found else 1, audited.measured, only(contexts)
    return Finding("large-start", "warning", message, path, line, brought.tokens, evidence, agent, "imports")


def _brought(imported: Mapping[str, Charge], small: Collection[str]) -> Iterator[Brought]:
    """What each file that is not imported itself brings with it; only the `small` files count."""
    above = {path: charge.imported_by or "" for path, charge in imported.items()}
    trees: defaultdict[str, list[str]] = defaultdict(list)
    for path in above:
        *_, root = _chain(path, above)
        trees[root].append(path)
    for root, paths in trees.items():
        own = [path for path in paths if path in small]
        direct = Counter(above[path] for path in own)
        if direct:
            most_from = max(sorted(direct), key=lambda each: direct[each])
            tokens = sum(imported[path].tokens or 0 for path in own)
            yield Brought(root, len(own), tokens, most_from, direct[most_from])


def _chain(path: str, above: dict[str, str]) -> Iterator[str]:
    """A file, the one that imports it, and so on up to one that is not imported."""
    seen = {path}
    yield path
    while (path := above.get(path, "")) and path not in seen:
        seen.add(path)
        yield path


def import_of(audited: Audited, charge: Charge) -> tuple[str, int] | None:
    """How a file is written where it is imported, and in which line; None if that is not to be found."""
    importer = charge.imported_by or ""
    for written in audited.files.mentions(importer, charge.row.imports_as):
        if posixpath.normpath(posixpath.join(posixpath.dirname(importer), written)) == charge.path:
            text = audited.text(importer) or ""
            return written, text.count("\n", 0, max(text.find(f"@{written}"), 0)) + 1
    return None
