"""The files that each protocol step selects, with reasons, and the file budget (catalog specification 12.5)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ctxtui.catalog.contract import Choosing, ContextProvider
from ctxtui.catalog.domain_index import Listed
from ctxtui.catalog.library import split_id
from ctxtui.catalog.metadata import DETECTION, INDEX, Metadata
from ctxtui.catalog.types import Choice, ContextFile, DetectionResult, LeftOut, Match
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.base.wording import plural
from ctxtui.core.text.metadata import reference

# The protocol's priority classes, best first.
ALWAYS, FRAMEWORK, LIBRARY, CROSS_CUTTING = 1, 2, 3, 4
# The relevance from which a file always loads, and from which it loads within the budget.
_ALWAYS_FROM, _ROOM_FROM = 0.8, 0.5


@dataclass(frozen=True, slots=True)
class Fitted:
    """The choices to load within a budget, and the files left out, with reasons."""

    within: tuple[Choice, ...]
    left_out: tuple[LeftOut, ...]


def fit(choices: Iterable[Choice], limit: int, on_notice: OnNotice, free: Collection[str] = ()) -> Fitted:
    """Choose at most `limit` files by priority. Files in `free` do not count.

    A relevance of 0.8 or more may exceed the limit. A relevance below 0.5 is never loaded. Notices name the files
    beyond the limit and the files left out.
    """
    within: dict[str, Choice] = {}
    left_out: dict[str, LeftOut] = {}
    for choice in sorted(choices, key=lambda each: each.priority):
        relevance = choice.relevance
        if choice.id in within:
            continue
        if relevance is not None and relevance < _ROOM_FROM:
            reason = f"a reference only: relevance {relevance:g} is below {_ROOM_FROM:g}"
            left_out.setdefault(choice.id, LeftOut(choice.id, choice.step, reason))
            continue
        counted = sum(1 for id_ in within if id_ not in free)
        if choice.id in free or counted < limit:
            within[choice.id] = choice
        elif relevance is not None and relevance >= _ALWAYS_FROM:
            within[choice.id] = choice
            message = f"{choice.id} is loaded beyond the budget of {plural(limit, 'file')}: relevance {relevance:g}"
            on_notice(Notice("beyond-budget", message))
        else:
            left_out.setdefault(choice.id, LeftOut(choice.id, choice.step, _no_room(limit)))
    for id_ in within:
        left_out.pop(id_, None)
    fitted = Fitted(tuple(within.values()), tuple(left_out.values()))
    _report_left_out(fitted.left_out, limit, on_notice)
    return fitted


def _no_room(limit: int) -> str:
    return f"no room within {plural(limit, 'file')}"


def _report_left_out(left_out: Collection[LeftOut], limit: int, on_notice: OnNotice) -> None:
    """One notice for all files without room, then one for each file that is a reference only."""
    over = [each.id for each in left_out if each.reason == _no_room(limit)]
    if over:
        on_notice(Notice("over-budget", f"the budget of {plural(limit, 'file')} leaves out {', '.join(over)}"))
    for each in left_out:
        if each.id not in over:
            on_notice(Notice("reference-only", f"{each.id} is {each.reason}"))


def always(files: Mapping[str, Metadata], listed: Mapping[str, Listed], index_path: str) -> list[Choice]:
    """Files marked `always` by themselves or by the domain's index, except an index (catalog specification 4)."""
    chosen = []
    for name, metadata in files.items():
        if metadata.reference.type == INDEX or name == INDEX:
            continue
        claim = listed.get(name)
        if metadata.reference.loading_strategy == reference.ALWAYS:
            chosen.append((metadata, "always, as the file itself says"))
        elif claim is not None and claim.strategy == reference.ALWAYS:
            chosen.append((metadata, f"always, as {index_path} says"))
    # Detection files after the files that every task needs.
    chosen.sort(key=lambda each: (each[0].reference.type == DETECTION, each[0].reference.id))
    return [Choice(metadata.reference.id, 2, reason, ALWAYS) for metadata, reason in chosen]


def conditional(detection: DetectionResult) -> list[Choice]:
    """The files that a detection recommends, the framework's first (method 6)."""
    return [
        Choice(id_, 4, *_reason_and_priority(id_, detection))
        for id_ in dict.fromkeys(id_ for id_ in detection.recommended_files if isinstance(id_, str))
    ]


def _reason_and_priority(id_: str, detection: DetectionResult) -> tuple[str, int]:
    match = next((match for match in detection.explanation if id_ in match.files), None)
    if match is None:
        return "recommended by the detection", FRAMEWORK
    return match_reason(match), FRAMEWORK if match.row == detection.framework else LIBRARY


def match_reason(match: Match) -> str:
    """The reason of a match: its row and signal."""
    return f"{match.row}: {' '.join(match.signal.split())[:80]}"


def load(provider: ContextProvider, choice: Choice) -> ContextFile | None:
    """The chosen file with its reason, None if it is gone or cannot be read."""
    file = choice.file
    if file is None:
        reference = provider.get_reference(*split_id(choice.id))
        file = provider.materialize(reference) if reference else None
    return replace(file, reason=choice.reason) if file else None


def load_all(provider: ContextProvider, choices: Iterable[Choice]) -> list[ContextFile]:
    """The chosen files in order, without files that are gone."""
    return [file for choice in choices if (file := load(provider, choice))]


def load_conditional(
    provider: ContextProvider, choosing: Choosing, domain: str, detection: DetectionResult, on_notice: OnNotice
) -> list[ContextFile]:
    """The recommended files (method 6), at most the file budget less the always files."""
    chosen = choosing.choose_conditional(domain, detection)
    if not chosen:
        return []
    always = {choice.id for choice in choosing.choose_always(domain)}
    return load_all(provider, fit(chosen, max(0, choosing.max_files - len(always)), on_notice, always).within)


def load_cross_domain(
    provider: ContextProvider, choosing: Choosing, domain: str, triggers: Sequence[str], on_notice: OnNotice
) -> list[ContextFile]:
    """The files of other domains that match the triggers (method 7), within a file budget of their own."""
    chosen = choosing.choose_cross_domain(domain, triggers)
    return load_all(provider, fit(chosen, choosing.max_files, on_notice).within)


class _LoadedFiles:
    """The choices of a provider that reports none: the files that it has chosen and loaded itself."""

    def __init__(self, provider: ContextProvider) -> None:
        self._provider = provider

    @property
    def max_files(self) -> int:
        return self._provider.get_loading_protocol().token_budget

    def choose_always(self, domain: str) -> list[Choice]:
        return _loaded(self._provider.get_always_load_files(domain), 2, ALWAYS)

    def choose_conditional(self, domain: str, detection: DetectionResult) -> list[Choice]:
        files = self._provider.get_conditional_context(domain, detection) if detection.recommended_files else []
        return _loaded(files, 4, FRAMEWORK)

    def choose_cross_domain(self, domain: str, triggers: Sequence[str]) -> list[Choice]:
        files = self._provider.get_cross_domain_context(domain, triggers) if triggers else []
        return _loaded(files, 5, CROSS_CUTTING)


def _loaded(files: Iterable[ContextFile], step: int, priority: int) -> list[Choice]:
    return [Choice(file.id, step, file.reason or "chosen by the provider", priority, file=file) for file in files]


def as_choosing(provider: ContextProvider, loader: ContextProvider | None = None) -> Choosing:
    """A provider with choices. If it has none, `loader` (by default itself) loads the files to choose."""
    return provider if isinstance(provider, Choosing) else _LoadedFiles(loader or provider)
