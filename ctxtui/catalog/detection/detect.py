"""Detection: signals against the rules of a domain, with an explanation (catalog specification 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ctxtui.catalog.detection.indicators import (
    SOME,
    STRONG,
    WEAK,
    Clue,
    Indicator,
    own_and_other_packages,
    top_module,
)
from ctxtui.catalog.detection.rules import Combination, Rule, Rules, label_key, label_name
from ctxtui.catalog.detection.signal_index import SignalIndex
from ctxtui.catalog.domain_index import HintRow
from ctxtui.catalog.library import split_id
from ctxtui.catalog.text_match import STOP, words
from ctxtui.catalog.types import DetectionResult, DetectionSignals, Kind, Match

_ENOUGH = STRONG
_WEAK_AT_MOST = 0.75
_NOISE = STOP | frozenset(
    "any code pattern feature critical sensitive core net web method service server component common issue project"
    " framework library application configuration".split()
)


@dataclass(slots=True)
class LabelEvidence:
    """The rules with one label, and the evidence for the label so far."""

    key: str
    name: str
    kind: Kind
    rules: list[Rule] = field(default_factory=list)
    hits: dict[str, tuple[Indicator, str, Rule]] = field(default_factory=dict)
    score: float = 0.0
    blocked: bool = False
    # A matched clue is sufficient evidence by itself.
    strong: bool = False
    # A package has the label's name. Companions then decide nothing without that package or an equally strong clue.
    packaged: bool = False

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(id_ for rule in self.rules for id_ in rule.files))

    @property
    def clues(self) -> list[Clue]:
        return [clue for rule in self.rules for clue in rule.clues]

    @property
    def holds(self) -> bool:
        """Whether the evidence for the label is sufficient. Generic signs and companion packages alone never are."""
        positive = {sign.text for clue in self.clues if not clue.negated for sign in clue.signs}
        needed = SOME if len(positive) == 1 else _ENOUGH
        return not self.blocked and self.score >= needed and (self.strong or not self.packaged)


def detect(
    domain: str, rules: Rules, signals: DetectionSignals, hints: Sequence[HintRow], file_ids: Sequence[str]
) -> DetectionResult:
    """Detect the kind of a project. If no rule names files, the index's `hints` and the names in `file_ids` do."""
    evidence = SignalIndex(signals)
    candidates = _grouped_rules(rules.rules)
    for candidate in candidates:
        _score(candidate, evidence)
    held = [each for each in candidates if each.holds]
    held = [each for each in held if not _is_excluded(each, held)]
    frameworks = sorted((each for each in held if each.kind == "framework"), key=_rank)
    framework = frameworks[0] if frameworks else None
    ordered = frameworks + [each for each in held if each.kind in ("library", "testing", "architecture")]
    tests = max((each for each in held if each.kind == "testing"), key=lambda each: each.score, default=None)
    domain_match = None if framework else _domain_match(domain, evidence)
    found = {each.key: each.files for each in ordered}
    if not rules.name_files:
        found = {
            each.key: _files_by_index(domain, each, hints, file_ids) for each in ordered if each.kind != "testing"
        }
    matches = [match for each in ordered for match in _matches(each, found.get(each.key, ()))]
    matches += [match for each in held if each not in ordered for match in _matches(each, ())]
    matches += _combination_matches(rules.combinations, held)
    architectures = (rule.architecture for each in held for _, _, rule in each.hits.values())
    return DetectionResult(
        framework=framework.name if framework else domain if domain_match else "",
        libraries=tuple(dict.fromkeys(_libraries(ordered, framework, evidence))),
        architecture=next(filter(None, architectures), ""),
        testing_framework=tests.name if tests else "",
        recommended_files=tuple(dict.fromkeys(id_ for match in matches for id_ in match.files)),
        explanation=(*matches, *([domain_match] if domain_match else [])),
    )


def _grouped_rules(rules: Iterable[Rule]) -> list[LabelEvidence]:
    """The rules by label, in order. Testing, version and setting rows do not mix with the others."""
    found: dict[str, LabelEvidence] = {}
    for rule in rules:
        name = label_name(rule.label)
        key = label_key(rule.label)
        if not key:
            continue
        group = "what" if rule.kind in ("framework", "library", "architecture") else rule.kind
        found.setdefault(f"{group}:{key}", LabelEvidence(key, name, rule.kind)).rules.append(rule)
    return list(found.values())


def _score(candidate: LabelEvidence, evidence: SignalIndex) -> None:
    """Add matched signs and their weights to a candidate. Weak signs alone never reach the threshold."""
    signs = [sign for clue in candidate.clues for sign in clue.signs]
    own, companions = own_and_other_packages(signs, candidate.key)
    candidate.packaged = bool(own)
    weak = 0.0
    for rule in candidate.rules:
        for clue in rule.clues:
            hits = [(sign, evidence.matching_signal(sign, _package(sign) == candidate.key)) for sign in clue.signs]
            if clue.negated:
                candidate.blocked |= any(signal for _, signal in hits)
                continue
            if not all(signal for _, signal in hits):
                continue
            weight = _weight(clue, own, companions)
            candidate.strong |= weight >= STRONG
            known = all(sign.text in candidate.hits for sign, _ in hits)
            candidate.hits |= {sign.text: (sign, signal or "", rule) for sign, signal in hits if not known}
            if not known:
                weak += weight if weight <= WEAK else 0.0
                candidate.score += weight if weight > WEAK else 0.0
    candidate.score += min(weak, _WEAK_AT_MOST)


def _package(sign: Indicator) -> str:
    return top_module(sign.modules[0]) if sign.modules else ""


def _weight(clue: Clue, own: set[str], companions: set[str]) -> float:
    """The weight of a matched clue: that of its sign, at least STRONG for several signs together.

    The import of a package in `companions` counts only SOME if the row also names the framework's `own` package.
    """
    if len(clue.signs) > 1:
        return max(STRONG, *(sign.weight for sign in clue.signs))
    sign = clue.signs[0]
    if sign.kind == "import" and own and _package(sign) in companions:
        return SOME
    return sign.weight


def _is_excluded(candidate: LabelEvidence, held: Sequence[LabelEvidence]) -> bool:
    """Whether the candidate's row excludes other matches in its table, and another row matches."""
    alone = {rule.section for rule in candidate.rules if rule.alone}
    others = (each for each in held if each is not candidate)
    return any(rule.section in alone for other in others for rule in other.rules)


def _rank(candidate: LabelEvidence) -> tuple[bool, float]:
    """A sort key: frameworks with a package of their own before contexts such as Data Science."""
    signs = [sign for clue in candidate.clues for sign in clue.signs if sign.text in candidate.hits]
    return not own_and_other_packages(signs, candidate.key)[0], -candidate.score


def _matches(candidate: LabelEvidence, files: tuple[str, ...]) -> Iterator[Match]:
    for sign, signal, rule in candidate.hits.values():
        yield Match(signal, sign.text, candidate.name, rule.section, candidate.kind, files)


def _libraries(
    ordered: Sequence[LabelEvidence], framework: LabelEvidence | None, evidence: SignalIndex
) -> Iterator[str]:
    """The names of detected libraries, then of other packages that the rows of detected frameworks import.

    The row of `framework`, if it imports the framework's own package, names companions, which all count. From other
    rows, only packages that the project imports count.
    """
    yield from (each.name for each in ordered if each.kind == "library")
    for candidate in ordered:
        if candidate.kind != "framework":
            continue
        signs = [sign for clue in candidate.clues for sign in clue.signs if sign.kind == "import"]
        own, others = own_and_other_packages(signs, candidate.key)
        companions = candidate is framework and bool(own)
        tops = [top_module(module) for sign in signs for module in sign.modules]
        yield from (top for top in tops if top in others and (companions or top in evidence.statement_by_top_module))


def _combination_matches(combinations: Iterable[Combination], held: Sequence[LabelEvidence]) -> Iterator[Match]:
    """Rows such as `FastAPI + ML` whose parts were all detected. Initials may abbreviate several words."""
    keys = {each.key for each in held} | {_initials(each.name) for each in held}
    for each in combinations:
        if all(part in keys for part in each.parts):
            label = " + ".join(each.parts)
            yield Match(label, label, label, each.section, "library", each.files)


def _initials(name: str) -> str:
    parts = [word for word in name.split() if word[0].isalpha()]
    return "".join(word[0] for word in parts) if len(parts) > 1 else ""


def _domain_match(domain: str, evidence: SignalIndex) -> Match | None:
    """A match by the domain's own name, which needs no row: `@angular/core`, `angular.json`. Else None."""
    name = domain.rpartition("/")[2].lower()
    named = (path for each, path in evidence.path_by_name.items() if each.partition(".")[0].lower() == name)
    signal = evidence.statement_by_top_module.get(name) or next(named, None)
    return Match(signal, name, name, "name of the domain", "framework") if signal else None


def _files_by_index(
    domain: str, candidate: LabelEvidence, hints: Sequence[HintRow], file_ids: Sequence[str]
) -> tuple[str, ...]:
    """The ids of files named like the label, then of files that the index's tables give for its words or hits."""
    label = words(candidate.name)
    joined = {first + second for first, second in pairwise(label)}
    said = (set(label) | joined | {_initials(candidate.name)}) - _NOISE - {"", *words(domain)}
    seen = said | ({word for text in candidate.hits for word in words(text)} - _NOISE - set(words(domain)))
    rows = [row for row in hints if (set(words(row.cell)) - _NOISE) & seen]
    by_name = [id_ for id_ in file_ids if (set(words(split_id(id_)[1])) - _NOISE) & said]
    return tuple(dict.fromkeys([*by_name, *(id_ for row in rows for id_ in row.primary)]))


def met_hints(hints: Iterable[tuple[str, tuple[str, ...]]], signals: DetectionSignals) -> Iterator[Match]:
    """A match for each hint (pattern and ids of files) that names a file of the project."""
    evidence = SignalIndex(signals)
    for pattern, files in hints:
        for token in pattern.replace(",", " ").split():
            signal = evidence.path_by_name.get(token.strip("()."))
            if signal is not None:
                yield Match(signal, token, pattern, "index.md", "library", files)
                break
