"""The five steps in one call: the files that are loaded for a project or left out, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ctxtui.catalog.contract import Choosing, ContextProvider, Notifying
from ctxtui.catalog.detection.detect import met_hints
from ctxtui.catalog.protocol.choices import LIBRARY, Fitted, as_choosing, fit, load, match_reason
from ctxtui.catalog.protocol.protocol_file import STEPS
from ctxtui.catalog.sections import text_list
from ctxtui.catalog.types import (
    Choice,
    DetectionResult,
    DetectionSignals,
    DomainIndex,
    LeftOut,
    LoadedFile,
    ProtocolResult,
    StepResult,
)
from ctxtui.core.base.batches import firsts
from ctxtui.core.base.notices import log_notice
from ctxtui.core.base.wording import plural
from ctxtui.core.tokens.arguments import a_number, an_instance


def run_protocol(
    provider: ContextProvider,
    domain: str,
    signals: DetectionSignals,
    triggers: Sequence[str] = (),
    *,
    max_files: int | None = None,
) -> ProtocolResult:
    """Walk the loading protocol of a catalog for one domain and project.

    The file budget is `max_files` (the provider's by default), by the priorities always, framework, library,
    cross-cutting. Only a cross-domain relevance of 0.8 or more may exceed it, with a notice. Notices go to the
    provider's receiver. Raises TypeError for signals or `max_files` of the wrong type.
    """
    an_instance(signals, DetectionSignals, "signals", "DetectionSignals, such as those of collect_signals(project)")
    triggers = text_list(triggers)
    if max_files is not None:
        a_number(max_files, "max_files")
    on_notice = provider.on_notice if isinstance(provider, Notifying) else log_notice
    index = provider.get_domain_index(domain)
    if not (index.files or index.workflows or index.detection_hints):
        steps = tuple(StepResult(each.number, each.title, "unknown or empty domain") for each in STEPS)
        return ProtocolResult(domain, steps, (), (), DetectionResult(), max_files or 0)
    protocol = provider.get_loading_protocol()
    limit = provider.max_files if isinstance(provider, Choosing) else protocol.token_budget
    limit = limit if max_files is None else max_files
    detection = provider.detect_project_type(domain, signals)
    choices = _choices(provider, domain, index, detection, signals, triggers)
    fitted = fit(choices, limit, on_notice)
    loaded, gone = _load(provider, fitted)
    left = (*gone, *fitted.left_out)
    titles = {step.number: step.title for step in (*STEPS, *protocol.steps)}
    reasons = _reason_by_step(index, detection, triggers, choices, {each.id: each.step for each in loaded})
    steps = tuple(
        StepResult(number, titles[number], reason, _ids(loaded, number), _ids(left, number))
        for number, reason in reasons.items()
    )
    return ProtocolResult(domain, steps, loaded, left, detection, limit)


def _choices(
    provider: ContextProvider,
    domain: str,
    index: DomainIndex,
    detection: DetectionResult,
    signals: DetectionSignals,
    triggers: Sequence[str],
) -> list[Choice]:
    """The choices of steps 2, 4 and 5. Without a detection, the index's hints choose for step 4."""
    choosing = as_choosing(provider)
    chosen = [
        *choosing.choose_always(domain),
        *choosing.choose_conditional(domain, detection),
        *(_hint_choices(index, signals) if detection == DetectionResult() else ()),
        *choosing.choose_cross_domain(domain, triggers),
    ]
    # Each file once per step. A later step may give a file a better priority than an earlier step.
    return list(firsts(((choice.id, choice.step), choice) for choice in chosen).values())


def _hint_choices(index: DomainIndex, signals: DetectionSignals) -> list[Choice]:
    """Choices of the files in rows of the index that name files of the project, without a detection file."""
    hints = ((hint.pattern, hint.files) for hint in index.detection_hints)
    return [
        Choice(id_, 4, match_reason(match), LIBRARY) for match in met_hints(hints, signals) for id_ in match.files
    ]


def _load(provider: ContextProvider, fitted: Fitted) -> tuple[tuple[LoadedFile, ...], tuple[LeftOut, ...]]:
    """The loaded files by step, and chosen files that are gone or unreadable."""
    loaded, gone = [], []
    for choice in fitted.within:
        file = load(provider, choice)
        if file is None:
            gone.append(LeftOut(choice.id, choice.step, "the file is gone or cannot be read"))
        else:
            loaded.append(LoadedFile(file, choice.step, choice.reason))
    return tuple(sorted(loaded, key=lambda each: each.step)), tuple(gone)


def _reason_by_step(
    index: DomainIndex,
    detection: DetectionResult,
    triggers: Sequence[str],
    choices: Sequence[Choice],
    loaded: Mapping[str, int],
) -> dict[int, str]:
    """A line on each step for people. `loaded` is the loading step of each file by id."""
    asked = ", ".join(map(str, triggers))
    return {
        1: ", ".join(
            (
                plural(len(index.files), "file"),
                plural(len(index.workflows), "workflow"),
                plural(len(index.detection_hints), "hint"),
            )
        ),
        2: _count_in_words(choices, 2, loaded) or "no file is marked always",
        3: detection_line(detection) or "nothing was detected",
        4: _count_in_words(choices, 4, loaded) or "nothing is recommended",
        5: (_count_in_words(choices, 5, loaded) or "no row matches") + f", triggers: {asked}"
        if asked
        else "no triggers",
    }


def _count_in_words(choices: Sequence[Choice], step: int, loaded: Mapping[str, int]) -> str:
    ids = {choice.id for choice in choices if choice.step == step}
    before = sum(1 for id_ in ids if loaded.get(id_, step) < step)
    told = plural(len(ids), "file") if ids else ""
    return f"{told}, {before:,} loaded by an earlier step" if before else told


def detection_line(detection: DetectionResult) -> str:
    """A detection in one line, empty if nothing was detected."""
    parts = (
        ("framework", detection.framework),
        ("libraries", ", ".join(detection.libraries)),
        ("architecture", detection.architecture),
        ("tests", detection.testing_framework),
    )
    return "; ".join(f"{name} {value}" for name, value in parts if value)


def _ids(files: Iterable[LoadedFile | LeftOut], step: int) -> tuple[str, ...]:
    return tuple(each.id for each in files if each.step == step)
