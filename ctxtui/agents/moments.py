"""The moment at which a row makes one file reach the model, and why."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from posixpath import basename, dirname
from typing import NamedTuple

from ctxtui.agents.loads import Scope
from ctxtui.agents.measure import limited_size
from ctxtui.agents.project.files import Files
from ctxtui.agents.project.frontmatter import Meta, Values, globs_of, holds, read_yaml, spoken
from ctxtui.agents.project.paths import Hit
from ctxtui.agents.types import LISTED, Case, Row
from ctxtui.core.base.wording import some

Value = str | tuple[str, ...]

_SLUG = re.compile(r"[a-z0-9_-]+")
# Names of other agents' tools, such as `Read`, begin with a capital.
_TOOL = re.compile(r"[a-z*][^\s,]*")

_SAID = {
    "start": "read in full at the start",
    "configured": "named in {file}, read in full at the start",
    "listed": "{listing} at the start, the rest when the model asks",
    "subagent": "{listing} at the start, the rest in a window of its own",
    "touch": "read when {what} is touched",
    "manual": "read when the user calls it",
    "reference": "opened when a link leads there",
}


def unmet_demand(row: Row, values: Values) -> str:
    """The reason why an agent refuses frontmatter, in words that follow "because". Empty if accepted."""
    return next(unmet_demands(row, values), "")


def unmet_demands(row: Row, values: Values) -> Iterator[str]:
    """All reasons why an agent refuses frontmatter, the worst first."""
    meta = values.meta
    missing = [key for key in row.needs if not meta.get(key)]
    other = next((key for key in missing if values.kinds.get(key, "nothing") != "nothing"), None)
    if other is not None:
        yield f"its `{other}` is {values.kinds[other]}, not a text"
    elif missing:
        yield f"its frontmatter has no {' and no '.join(missing)}"
    unknown = [f"`{key}`" for key in meta if key not in row.takes] if row.takes else []
    if unknown:
        yield f"its frontmatter has {some(unknown, 3)}, which the agent does not know"
    yield from filter(None, (FORMS[row.takes[key]](key, value) for key, value in meta.items() if key in row.takes))


def _slug_fault(key: str, value: Value) -> str:
    fits = isinstance(value, str) and (not value or _SLUG.fullmatch(value))
    return "" if fits else f"`{key}` must be of lower-case letters, digits, - and _"


def _tool_fault(key: str, value: Value) -> str:
    if isinstance(value, str):
        return f"`{key}` must be a list, not a text" if value else ""
    other = next((each for each in value if not _TOOL.fullmatch(each)), None)
    return "" if other is None else f"`{key}` names {other}, which is not one of the agent's tools"


FORMS: Mapping[str, Callable[[str, Value], str]] = {
    "any": lambda _key, _value: "",
    "slug": _slug_fault,
    "tools": _tool_fault,
}
"""The problem of a value by the word in `takes`, empty if the value is valid."""


class Verdict(NamedTuple):
    """A moment, its reason in words, and the scope if it is `touch`."""

    moment: str
    reason: str
    scopes: tuple[Scope, ...] = ()


def judge(row: Row, hit: Hit, files: Files) -> Verdict:
    """Judge one file. Its text is read only if the row depends on it."""
    if hit.hidden_by:
        return Verdict("never", f"not read, because {files.shown(hit.hidden_by)} exists")
    if not row.asks:
        return _too_large(row, hit, files) or _conclude(row, row.load[0], hit, {}, files)
    if not files.is_readable(hit.path):
        return Verdict("never", "could not be read")
    values = files.values(hit.path, row)
    if values is None:
        return Verdict("never", f"not loaded: the agent is strict, and {why_torn(hit.path, row, files)}")
    meta = values.meta
    if why := unmet_demand(row, values):
        return Verdict("never", f"not loaded: {why_marked(hit.path, row, files) or why}")
    if row.misnamed == "drop" and (folder := basename(dirname(hit.path))) != meta.get("name", folder):
        return Verdict("never", f"not loaded: its name, {meta['name']}, is not that of its folder, {folder}")
    case = next((case for case in row.load if holds(case.test, meta)), Case("", "never"))
    return _too_large(row, hit, files) or _unlisted(row, case, hit, files) or _conclude(row, case, hit, meta, files)


def why_torn(path: str, row: Row, files: Files) -> str:
    """The reason why an agent cannot read the YAML, in words that follow "and"."""
    block = files.block(path, row)
    values = read_yaml(block.text) if block else None
    repeated = next(iter(values.repeated), None) if values else None
    return "the frontmatter is not YAML" if repeated is None else f"the frontmatter has `{repeated}` twice"


def why_marked(path: str, row: Row, files: Files) -> str:
    """A byte order mark that hides frontmatter from an agent, in words, empty if visible."""
    is_hidden = files.block(path) is not None and files.block(path, row) is None
    return "before its frontmatter is a byte order mark, so that the agent sees none" if is_hidden else ""


def _too_large(row: Row, hit: Hit, files: Files) -> Verdict | None:
    """The verdict `never` for a file above a hard limit, else None."""
    for limit in row.limits:
        if limit.then == "drop" and limit.hard:
            size = limited_size(limit, row, hit.path, files)
            if size is not None and size > limit.max:
                what = f"its {limit.of} has {size:,} {limit.unit}, more than {limit.max:,}"
                return Verdict("never", f"not loaded: {what}")
    return None


def _unlisted(row: Row, case: Case, hit: Hit, files: Files) -> Verdict | None:
    """The verdict on a listed file that a setting beside it keeps out of the list, None for other files."""
    ref, _, wanted = row.unlisted_by.partition("=")
    if not ref or case.moment not in LISTED:
        return None
    if str(files.value(ref, dirname(hit.path))).lower() != wanted:
        return None
    file, _, keys = ref.partition("#")
    return Verdict("manual", f"{file} says {keys}: {wanted}: {_SAID['manual']}")


def _conclude(row: Row, case: Case, hit: Hit, meta: Meta, files: Files) -> Verdict:
    """The verdict of the `case` that applies, with the reason in words."""
    because = f"{spoken(case.test)}: " if case.test else ""
    if case.moment == "never":
        return Verdict("never", because + row.note)
    scope = _scope(row, hit, meta, files) if case.moment == "touch" else None
    what = "a file under " + ", ".join(scope.shown) if scope else "a file that it mentions"
    listing = " and ".join(row.meta) or "nothing"
    said = _SAID[case.moment].format(file=files.shown(hit.named_in), listing=listing, what=what)
    since = f", since version {row.since}" if row.since else ""
    return Verdict(case.moment, because + said + since, (scope,) if scope else ())


def _scope(row: Row, hit: Hit, meta: Meta, files: Files) -> Scope | None:
    """The scope of a file that loads on touch, None if it names no globs and applies only when mentioned."""
    given = tuple(dict.fromkeys(glob for key in row.globs for glob in globs_of(meta.get(key, ()), row.whole_globs)))
    if row.at == "down":
        return Scope(hit.folder, given or ("**",), row.globs_as, f"{files.shown(hit.folder)}/")
    if given:
        return Scope("" if row.globs_as.anywhere else hit.folder, given, row.globs_as)
    return None
