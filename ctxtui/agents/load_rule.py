"""When one file reaches the model under one row, and why."""

from posixpath import basename, dirname
from typing import NamedTuple

from ctxtui.agents.demands import unmet_demand
from ctxtui.agents.files import Files
from ctxtui.agents.frontmatter import Meta, globs_of, holds, spoken
from ctxtui.agents.limits import measured
from ctxtui.agents.paths import Hit
from ctxtui.agents.types import LISTED, Case, Row

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
    """A moment, the reason in words, and the globs that trigger it if it is `touch`."""

    moment: str
    reason: str
    globs: tuple[str, ...] = ()


def judge(row: Row, hit: Hit, files: Files) -> Verdict:
    """Decide on one file; its text is read only if the row depends on it."""
    if hit.hidden_by:
        return Verdict("never", f"not read, because {files.told(hit.hidden_by)} exists")
    if not row.asks:
        return _dropped(row, hit, files) or _conclude(row, row.load[0], hit, {}, files)
    if not files.is_readable(hit.path):
        return Verdict("never", "could not be read")
    meta = files.meta(hit.path, row)
    if meta is None:
        return Verdict("never", "not loaded: the agent is strict, and the frontmatter is not YAML")
    if why := unmet_demand(row, meta):
        return Verdict("never", f"not loaded: {why}")
    if row.misnamed == "drop" and (folder := basename(dirname(hit.path))) != meta.get("name", folder):
        return Verdict("never", f"not loaded: its name, {meta['name']}, is not that of its folder, {folder}")
    case = next((case for case in row.load if holds(case.test, meta)), Case("", "never"))
    return _dropped(row, hit, files) or _unlisted(row, case, hit, files) or _conclude(row, case, hit, meta, files)


def _dropped(row: Row, hit: Hit, files: Files) -> Verdict | None:
    for limit in row.limits:
        if limit.then == "drop" and limit.hard:
            size = measured(limit, row, hit.path, files)
            if size is not None and size > limit.max:
                what = f"its {limit.of} has {size:,} {limit.unit}, more than {limit.max:,}"
                return Verdict("never", f"not loaded: {what}")
    return None


def _unlisted(row: Row, case: Case, hit: Hit, files: Files) -> Verdict | None:
    """What a file beside this one says about listing it."""
    ref, _, wanted = row.unlisted_by.partition("=")
    if not ref or case.moment not in LISTED:
        return None
    if str(files.value(ref, dirname(hit.path))).lower() != wanted:
        return None
    file, _, keys = ref.partition("#")
    return Verdict("manual", f"{file} says {keys}: {wanted}: {_SAID['manual']}")


def _conclude(row: Row, case: Case, hit: Hit, meta: Meta, files: Files) -> Verdict:
    because = f"{spoken(case.test)}: " if case.test else ""
    if case.moment == "never":
        return Verdict("never", because + row.note)
    globs = _globs(row, hit, meta) if case.moment == "touch" else ()
    what = "a file under " + ", ".join(globs) if globs else "a file that it mentions"
    listing = " and ".join(row.meta) or "nothing"
    said = _SAID[case.moment].format(file=files.told(hit.named_in), listing=listing, what=what)
    since = f", since version {row.since}" if row.since else ""
    return Verdict(case.moment, because + said + since, globs)


def _globs(row: Row, hit: Hit, meta: Meta) -> tuple[str, ...]:
    given = tuple(glob for key in row.globs for glob in globs_of(meta.get(key, ()), row.whole_globs))
    if row.at == "down":
        return tuple(_below(hit.folder, glob) for glob in given or ("**",))
    return given or ((f"{hit.folder}/**",) if hit.folder else ())


def _below(folder: str, glob: str) -> str:
    """A glob of a file, relative to the file's own folder."""
    return f"!{folder}/{glob[1:]}" if glob.startswith("!") else f"{folder}/{glob.removeprefix('./')}"
