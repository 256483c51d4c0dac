"""The file or name that a wrong one probably means."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Sequence

from ctxtui.audit.context import Audited
from ctxtui.audit.roles import SKILL, is_readme
from ctxtui.audit.text.paths import IS_CODE
from ctxtui.core.text.markdown.scan import is_markdown

_LEAST_SAME = 3
_DIVIDERS = re.compile("[-_.:]")
# Names that every folder may have.
_EVERYWHERE = frozenset({SKILL, "AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md", "GEMINI.md", "index.md", "index.mdx"})
# A short word alone is the name of many files.
_TELLING = re.compile(r".*[a-z][-_. A-Z]\w|.{7}")
# Old files keep the names of those that replaced them.
_PUT_AWAY = re.compile(r"archive|backup|deprecated|legacy|\bold\b|versioned_|\bversion-\d", re.IGNORECASE)


def is_common_name(path: str) -> bool:
    """Whether many folders may have a file of this name, such as README.md."""
    return is_readme(path) or posixpath.basename(path) in _EVERYWHERE


def is_put_away(path: str) -> bool:
    """Whether a file is in a folder of old files."""
    return _PUT_AWAY.search(posixpath.dirname(path)) is not None


def near_name(written: str, names: Iterable[str]) -> str:
    """The first of the sorted names that is nearly, but not exactly, the written one, empty if none is."""
    return next((name for name in sorted(names) if name != written and is_near(name, written)), "")


def is_near(one: str, other: str) -> bool:
    """Whether two names differ only in case, dividers, a plural, one letter or the order of two."""
    one, other = (name.lower().replace("_", "-") for name in (one, other))
    start = len(posixpath.commonprefix((one, other)))
    end = len(posixpath.commonprefix((one[start:][::-1], other[start:][::-1])))
    left, right = one[start : len(one) - end], other[start : len(other) - end]
    # `lint:js` and `lint:ts` are two scripts, and so are `step1` and `step2`.
    rest = _DIVIDERS.split(one[:start])[-1] + _DIVIDERS.split(one[len(one) - end :])[0]
    if len(left) == 2 and left == right[::-1]:
        return len(rest) + len(left) >= _LEAST_SAME
    is_one = max(len(left), len(right)) <= 1 and len(rest) >= _LEAST_SAME and not (left + right).isdigit()
    return is_one or one.rstrip("s") == other.rstrip("s")


def differing_in_case(audited: Audited, places: Collection[str]) -> list[str]:
    """The files whose paths differ from one of the missing `places` in case alone."""
    lower = dict.fromkeys(place.lower() for place in places)
    names = dict.fromkeys(map(posixpath.basename, lower))
    return [path for name in names for path in audited.by_lower_name.get(name, ()) if path.lower() in lower]


def near_path(audited: Audited, places: Sequence[str]) -> str:
    """The file, or folder with a final slash, that a path missing at all `places` means. Empty if unclear."""
    modules = [place for place in places if IS_CODE.search(place) and not is_markdown(place)]
    for folder in (posixpath.splitext(place)[0] for place in modules):
        # The module became a folder.
        if folder not in places and folder not in audited.listed and audited.exists(folder):
            return f"{folder}/"
    if spelled := differing_in_case(audited, places):
        return spelled[0]
    name = posixpath.basename(places[0])
    same = [path for path in audited.by_lower_name.get(name.lower(), ()) if not is_put_away(path)]
    tail = posixpath.join(posixpath.basename(posixpath.dirname(places[0])), name).lower()
    moved = [path for path in same if "/" in tail and f"/{path}".lower().endswith(f"/{tail}")]
    is_telling = _TELLING.match(posixpath.splitext(name)[0]) and not is_common_name(name)
    is_path = "/" in places[0] or is_markdown(name)
    # Folders side by side, such as one for each model, have files of the same name.
    left = {posixpath.dirname(place) for place in places if audited.exists(posixpath.dirname(place))}
    beside = {above for folder in left if (above := posixpath.dirname(folder))} - left
    is_beside = any(posixpath.dirname(posixpath.dirname(path)) in beside for path in same)
    named = same if is_telling and is_path and not is_beside else []
    found = moved or named or ([] if same else _similar_files(audited, places[0]))
    # A skill that is there twice means its own file.
    found = [path for path in found if path.startswith(f"{posixpath.dirname(places[0])}/")] or found
    return found[0] if len(found) == 1 else ""


def _similar_files(audited: Audited, path: str) -> list[str]:
    """The files beside a missing one with another extension, an added extension, or nearly the same name."""
    folder, name = posixpath.split(path)
    stem, ending = posixpath.splitext(name)
    near = []
    for each in audited.by_folder.get(folder, ()):
        other, end = posixpath.splitext(posixpath.basename(each))
        near += [each] if stem == other or name == other or (end == ending and is_near(other, stem)) else []
    return near
