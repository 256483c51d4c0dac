"""When one file reaches the model under one row, and why."""

from typing import NamedTuple

from ctxtui.agents.frontmatter import Meta, globs_of, holds, read_lines, read_yaml, split, spoken
from ctxtui.agents.paths import Hit, Texts
from ctxtui.agents.table import Case, Row

_SAID = {
    "start": "read in full at the start",
    "configured": "named in {file}, read in full at the start",
    "listed": "{listing} at the start, the rest when the model asks",
    "subagent": "{listing} at the start, the rest in a window of its own",
    "touch": "read when {what} is touched",
    "manual": "read when the user calls it",
    "reference": "opened when a link leads there",
}


class Verdict(NamedTuple):
    """A moment, the reason in words, and the globs that fire it when it is `touch`."""

    moment: str
    reason: str
    globs: tuple[str, ...] = ()


def judge(row: Row, hit: Hit, texts: Texts) -> Verdict:
    """Decide on one file; its text is asked for only when the row depends on it."""
    if hit.hidden_by:
        return Verdict("never", f"not read, because {hit.hidden_by} is there")
    if not row.asks:
        return _conclude(row, row.load[0], hit, {})
    text = texts(hit.path)
    if text is None:
        return Verdict("never", "could not be read")
    meta = _meta(row, text)
    if meta is None:
        return Verdict("never", "not loaded: the agent is strict, and the frontmatter is missing or not YAML")
    missing = [key for key in row.needs if not meta.get(key)]
    if missing:
        return Verdict("never", f"not loaded: its frontmatter has no {' and no '.join(missing)}")
    case = next((case for case in row.load if holds(case.test, meta)), Case("", "never"))
    return _conclude(row, case, hit, meta)


def _meta(row: Row, text: str) -> Meta | None:
    block = split(text)
    if row.broken == "lines":
        return read_lines(block or "")
    meta = read_yaml(block) if block is not None else None
    return {} if meta is None and row.broken == "ignore" else meta


def _conclude(row: Row, case: Case, hit: Hit, meta: Meta) -> Verdict:
    because = f"{spoken(case.test)}: " if case.test else ""
    if case.moment == "never":
        return Verdict("never", because + row.note)
    globs = _globs(row, hit, meta) if case.moment == "touch" else ()
    file = (row.listed_in or "").partition("#")[0]
    what = "a file under " + ", ".join(globs) if globs else "a file that it speaks of"
    said = _SAID[case.moment].format(file=file, listing=" and ".join(row.meta) or "nothing", what=what)
    return Verdict(case.moment, because + said, globs)


def _globs(row: Row, hit: Hit, meta: Meta) -> tuple[str, ...]:
    given = tuple(glob for key in row.globs for glob in globs_of(meta.get(key, ())))
    return given or ((f"{hit.folder}/**",) if hit.folder else ())
