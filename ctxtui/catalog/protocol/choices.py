"""The files that each protocol step selects, with reasons, before loading anything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from ctxtui.catalog.domain_index import Listed
from ctxtui.catalog.metadata import DETECTION, INDEX, Metadata
from ctxtui.catalog.protocol.cross_domain import CrossMatch
from ctxtui.catalog.protocol.file_budget import ALWAYS, CROSS_CUTTING, FRAMEWORK, LIBRARY
from ctxtui.catalog.types import Choice, ContextFile, DetectionResult, Match
from ctxtui.core.metadata import reference


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
        Choice(id_, 4, *_recommended(id_, detection))
        for id_ in dict.fromkeys(id_ for id_ in detection.recommended_files if isinstance(id_, str))
    ]


def _recommended(id_: str, detection: DetectionResult) -> tuple[str, int]:
    match = next((match for match in detection.explanation if id_ in match.files), None)
    if match is None:
        return "recommended by the detection", FRAMEWORK
    return because(match), FRAMEWORK if match.row == detection.framework else LIBRARY


def because(match: Match) -> str:
    """The reason of a match: its row and signal."""
    return f"{match.row}: {' '.join(match.signal.split())[:80]}"


def across(matches: Iterable[CrossMatch]) -> Iterator[Choice]:
    """The files that match triggers, with the row's relevance (method 7)."""
    for match in matches:
        reason = f"{match.trigger}: {match.condition} ({match.score:g})"
        yield Choice(match.id, 5, reason, CROSS_CUTTING, match.score)


def with_reason(file: ContextFile, reason: str) -> ContextFile:
    return replace(file, reason=reason)
