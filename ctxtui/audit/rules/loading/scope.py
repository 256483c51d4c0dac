"""Rules about the start: text that could load on demand, and text that changes often."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ctxtui.agents.costs import Charge
from ctxtui.agents.project.frontmatter import globs_of
from ctxtui.agents.project.globs import narrows
from ctxtui.agents.types import AT_START
from ctxtui.audit.context import Audited
from ctxtui.audit.roles import folders_above
from ctxtui.audit.rules.phrases import AgentCharge, agent_names, contexts_in, finding_of
from ctxtui.audit.text.facts import split_lines
from ctxtui.audit.types import Finding, Remedy
from ctxtui.core.base.wording import noun, plural

_SCOPED = ("rule", "steering")
_PATH = re.compile(r"`([\w.@-]+(?:/[\w.@*{},-]+)+)/?`|\]\((?!\w+:)([\w.@/-]+/[\w.@-]+)\)")
# Documents that the model should read do not show which files the rule is about.
_DOCUMENT = re.compile(r"\.(?:md|mdx|mdc|rst|txt|adoc|pdf|png|svg)$|(?:^|/)docs?(?:/|$)", re.IGNORECASE)
_FOR_ALL = re.compile(r"\b(?:all|any|every|everything|whole|entire|global|monorepo|project-wide)\b", re.IGNORECASE)
_FEWEST_PATHS = 3
_NEARLY_ALL = 0.9
_WORDS = re.compile(r"[a-z+#]+")
# Languages and their file extensions, without names that are common words.
_LANGUAGES = {
    "python": (".py",),
    "typescript": (".ts", ".tsx"),
    "javascript": (".js", ".jsx", ".mjs"),
    "golang": (".go",),
    "rust": (".rs",),
    "java": (".java",),
    "kotlin": (".kt", ".kts"),
    "swift": (".swift",),
    "ruby": (".rb",),
    "php": (".php",),
    "csharp": (".cs",),
    "cpp": (".cpp", ".cc", ".hpp", ".h"),
    "css": (".css", ".scss", ".less"),
    "sql": (".sql",),
    "terraform": (".tf",),
}
_CODE = frozenset(ending for endings in _LANGUAGES.values() for ending in endings)
_MOST_SHARE = 0.6
"""A folder with a larger share of the files, or a language of the code, is needed nearly always."""


def could_be_scoped(audited: Audited) -> Iterator[Finding]:
    """Rules of at least `scope_tokens` that always load, accept globs, and are about one folder or language."""
    met: defaultdict[str, list[AgentCharge]] = defaultdict(list)
    for context, charge in audited.real_charges(*AT_START):
        is_rule = charge.row.kind in _SCOPED and charge.row.globs and not charge.imported_by
        meta = audited.files.meta(charge.path, charge.row) or {} if is_rule else {}
        if any(narrows(globs_of(meta.get(key, ()))) for key in charge.row.globs):
            # Another rule reports globs without effect.
            continue
        if is_rule and (charge.tokens or 0) >= audited.settings.scope_tokens:
            met[charge.path].append((context, charge))
    shares = _shares(audited.paths) if met else {}
    ends = _PathEnds(audited.paths if met else ())
    for path, loads in met.items():
        description = (audited.files.meta(path, loads[0][1].row) or {}).get("description")
        # The description or first heading may say that a rule is for all work.
        if _FOR_ALL.search(f"{description or ''}\n{_heading(audited.text(path) or '')}"):
            continue
        about = _folder_about(audited.text(path) or "", ends, audited.paths) or _language_of(audited, path, shares)
        if about is not None:
            yield _unscoped_finding(loads, about)


def _heading(text: str) -> str:
    return next((line for line in split_lines(text) if line.startswith("#")), "")


class _Subject(NamedTuple):
    """The subject of a rule, in words, and its glob."""

    words: str
    pattern: str


def _folder_about(text: str, ends: _PathEnds, paths: Sequence[str]) -> _Subject | None:
    """The folder that has nine tenths of the paths in a text, besides documents.

    None without such a folder, if fewer than three or half of the paths are found, and if it is hidden or has most
    files of the project.
    """
    named = {(one or other).partition("*")[0].strip("/") for one, other in _PATH.findall(text)}
    written = {each for each in named if not _DOCUMENT.search(each)}
    places = [place for each in written if (place := ends.find(each)) is not None]
    if len(places) < max(_FEWEST_PATHS, len(written) / 2):
        return None
    for depth in (3, 2, 1):
        heads = Counter("/".join(place.split("/")[:depth]) for place in places if place.count("/") >= depth)
        folder, count = heads.most_common(1)[0] if heads else ("", 0)
        if count >= _NEARLY_ALL * len(places):
            inside = sum(each.startswith(f"{folder}/") for each in paths)
            is_part = not folder.startswith(".") and inside < _MOST_SHARE * len(paths)
            words = f"{count} of the {len(places)} files and folders that it names are in {folder}"
            return _Subject(words, f"{folder}/**") if is_part else None
    return None


class _PathEnds:
    """Project paths by their endings, because rules name paths relative to any folder."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._by_name: defaultdict[str, list[str]] = defaultdict(list)
        folders = {folder for path in paths for folder in folders_above(path)}
        for path in {*paths, *folders}:
            self._by_name[posixpath.basename(path)].append(path)

    def find(self, written: str) -> str | None:
        """The path that equals `written`, or the only one that ends with it. None if there is none or several."""
        found = self._by_name.get(posixpath.basename(written), ())
        if written in found:
            return written
        ending = [path for path in found if path.endswith(f"/{written}")]
        return ending[0] if len(ending) == 1 else None


def _language_of(audited: Audited, path: str, shares: dict[str, float]) -> _Subject | None:
    """The language that file name and first heading both name, with its share of the code.

    None if they name another number of languages, or if none or most of the code is in it.
    """
    text = audited.text(path) or ""
    stem = posixpath.basename(path).partition(".")[0]
    named = [set(_WORDS.findall(each.lower())) & _LANGUAGES.keys() for each in (stem, _heading(text))]
    if len(named[0]) != 1 or named[0] != named[1]:
        return None
    (language,) = named[0]
    share = sum(shares.get(ending, 0.0) for ending in _LANGUAGES[language])
    if not 0 < share < _MOST_SHARE:
        return None
    endings = ",".join(ending[1:] for ending in _LANGUAGES[language])
    glob = f"**/*.{{{endings}}}" if "," in endings else f"**/*.{endings}"
    return _Subject(f"it is about {language}, the language of {share:.0%} of the code".replace("%", " %"), glob)


def _shares(paths: Sequence[str]) -> dict[str, float]:
    """The share of code files by extension."""
    counts = Counter(ending for path in paths if (ending := posixpath.splitext(path)[1].lower()) in _CODE)
    whole = sum(counts.values())
    return {ending: count / whole for ending, count in counts.items()}


def _unscoped_finding(loads: Sequence[AgentCharge], about: _Subject) -> Finding:
    contexts, key = contexts_in(loads), loads[0][1].row.globs[0]
    who = f"{agent_names(contexts)} {noun(len(contexts), 'reads', 'read')} it at every start"
    message, remedy = f"{who}, and {about.words}", Remedy(f"give it `{about.pattern}` in `{key}`")
    tokens = max(each.tokens or 0 for _, each in loads)
    return finding_of(loads, "could-be-scoped", "info", message, 1, tokens, about.pattern, remedy=remedy)


_STAMP = re.compile(
    r"\b(?:last[ -]?(?:updated?|modified|generated|synced|commit)|generated (?:on|at)|updated (?:on|at)|as of commit"
    r"|current (?:version|commit))\b\W{0,6}"
    r"(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d)?|v?\d{1,9}\.\d{1,9}\.\d{1,9}|[0-9a-f]{7,40}\b"
    r"|(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sep|Oct|Nov|Dec)[a-z]* \d{1,2},? \d{4})",
    re.IGNORECASE,
)
# Moving a line is worth it only with this many tokens behind it.
_LEAST_BEHIND = 500


def changing_text(audited: Audited) -> Iterator[Finding]:
    """Dates and versions with at least 500 tokens of an agent's start behind them, which a change makes uncached.

    Each file is reported with its largest number, and equal texts once.
    """
    met: dict[str, tuple[re.Match[str], int, list[AgentCharge]]] = {}
    for context in audited.real_agents:
        left = context.start_tokens
        for charge in context.charges:
            left -= charge.start_tokens
            stamp = _stamp_of(audited, charge) if charge.moment in AT_START else None
            if stamp is None:
                continue
            text = audited.text(charge.path) or ""
            behind = left + audited.count(text[stamp.end() :])
            if behind >= _LEAST_BEHIND:
                old = met.get(charge.path)
                loads = [*(old[2] if old else ()), (context, charge)]
                met[charge.path] = (stamp, max(behind, old[1] if old else 0), loads)
    known = set()
    for _, (stamp, behind, loads) in sorted(met.items(), key=lambda each: (-each[1][1], each[0])):
        # Copies of a text have the same stamp.
        if stamp.string[stamp.start() :] in known:
            continue
        known.add(stamp.string[stamp.start() :])
        message = (
            f"each change of “{' '.join(stamp[0].split())}” takes {plural(behind, 'token')} behind it out of the"
            f" cached start of {agent_names(contexts_in(loads))}"
        )
        remedy = Remedy("if it changes often, move it to the end, or remove it")
        line = stamp.string.count("\n", 0, stamp.start()) + 1
        yield finding_of(loads, "changing-text", "info", message, line, behind, "stamp", remedy=remedy)


def _stamp_of(audited: Audited, charge: Charge) -> re.Match[str] | None:
    text = audited.text(charge.path)
    found = _STAMP.search(text) if text else None
    kept = charge.kept is None or (found is not None and any(s <= found.start() < e for s, e in charge.kept))
    return found if kept else None
