"""The commits that removed paths: what git says of a path that a text still names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ctxtui.audit.context import Audited
from ctxtui.audit.roles import folders_above
from ctxtui.audit.types import Finding
from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.git.git import inside, open_repository

# Each commit of the output, with the paths that it removed.
_FORM = "--format=%x01%h"
_COMMIT = re.compile(rb"\x01(\w+)\0")
_MOST = 100

Told = tuple[Finding, Sequence[str]]
"""A note about a missing path, and the places where it may have been, none for a text that is not always read."""


def decided(audited: Audited, told: Sequence[Told]) -> Iterator[Finding]:
    """The findings, as warnings with the commit where git knows the path."""
    gone = removed(audited, (place for _, places in told for place in places))
    for finding, places in told:
        commit = next(filter(None, map(gone.get, places)), "")
        fact = f"{finding.fact}; commit {commit} moved or removed it"
        yield replace(finding, severity="warning", fact=fact) if commit else finding


def removed(audited: Audited, paths: Iterable[str]) -> Mapping[str, str]:
    """The commits that removed paths, or the last file in them, by path. Empty without a history."""
    asked = list(dict.fromkeys(each for each in paths if not each.startswith("../")))[:_MOST]
    if not asked:
        return {}
    try:
        repository = open_repository(audited.workspace.root)
        words = ("--literal-pathspecs", "log", _FORM, "-z", "--name-only", "--no-renames", "--diff-filter=D")
        output = repository.run(*words, "--", *asked)
    except ContextError:
        return {}
    gone = dict[str, str]()
    _, *parts = _COMMIT.split(output)
    for commit, names in zip(parts[::2], parts[1::2], strict=True):
        for name in names.strip(b"\n").split(b"\0"):
            path = inside(repository.prefix, name.strip(b"\n"))
            # The newest commit comes first.
            for each in (path, *folders_above(path)) if path else ():
                gone.setdefault(each, commit.decode())
    return gone
