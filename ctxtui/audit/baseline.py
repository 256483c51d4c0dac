"""Baselines: accepted findings and costs of an audit, stored in a file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ctxtui.audit.costs import Costs
from ctxtui.audit.types import AuditResult, Finding
from ctxtui.core.base.errors import ContextError, Gone, NotFound, invalid
from ctxtui.core.disk.root import is_empty, read_file, write_named
from ctxtui.core.text.data.schema import Place, Reader, read, table, text, texts
from ctxtui.core.text.secrets import redact
from ctxtui.core.tokens.counter import TokenCounter

_VERSION = 1
_MOST_TOKENS = 2**53
_AGAIN = "write it again with --write-baseline"


@dataclass(frozen=True, slots=True)
class Baseline:
    """The accepted findings by their redacted keys, and the costs at that time."""

    tokenizer: str
    findings: tuple[str, ...]
    costs: Costs


@dataclass(frozen=True, slots=True)
class Comparison:
    """An audit compared with a baseline. `gone` are the keys of findings that were fixed."""

    new: tuple[Finding, ...]
    known: tuple[Finding, ...]
    gone: tuple[str, ...]
    before: Costs
    after: Costs


def make_baseline(result: AuditResult, costs: Costs, counter: TokenCounter) -> Baseline:
    return Baseline(counter.name, tuple(sorted(redact(finding.key)[0] for finding in result.findings)), costs)


def baseline_text(baseline: Baseline) -> str:
    """Format a baseline as JSON: sorted, one fact per line, easy to diff and merge."""
    data = {
        "baseline": _VERSION,
        "tokenizer": baseline.tokenizer,
        "findings": sorted(baseline.findings),
        "files": dict(baseline.costs.files),
        "starts": {agent: dict(files) for agent, files in baseline.costs.starts.items()},
    }
    return json.dumps(data, indent=1, sort_keys=True) + "\n"


def write_baseline(path: Path, baseline: Baseline, *, force: bool = False) -> None:
    """Write a baseline atomically. Only `force` replaces a file that is not a baseline.

    Raises ContextError (invalid_request) for such a file, and as `write_named` does.
    """
    if not force:
        try:
            read_baseline(path)
        except ContextError as error:
            if not isinstance(error, NotFound) and not is_empty(path):
                raise type(error)(error.category, error.message, hint="name another file, or add --force") from error
    write_named(path, baseline_text(baseline).encode(), force=force)


def read_baseline(path: Path) -> Baseline:
    """Read a baseline. Raises NotFound, or a ContextError that names the file and the problem."""
    try:
        data = read_file(path).data
    except Gone as error:
        raise NotFound(f"baseline {path} does not exist", hint="write one with --write-baseline") from error
    try:
        found = read(Place.named(f"{path} is not a baseline"), json.loads(data), _FIELDS, *_FIELDS)
    except (ValueError, RecursionError) as error:
        raise invalid(f"{path} is not a baseline: it is not JSON", hint=_AGAIN) from error
    except ContextError as error:
        raise invalid(error.message, hint=_AGAIN) from error
    return Baseline(found["tokenizer"], found["findings"], Costs(found["files"], found["starts"]))


def compare_to(baseline: Baseline, result: AuditResult, costs: Costs, counter: TokenCounter) -> Comparison:
    """Compare an audit with a baseline. Raises ContextError (invalid_request) for another tokenizer."""
    if baseline.tokenizer != counter.name:
        message = f"the baseline was counted with {baseline.tokenizer}, this audit with {counter.name}"
        raise invalid(message, hint="use the same tokenizer, or write the baseline again")
    new, known, gone = split_known(result.findings, baseline.findings)
    return Comparison(tuple(new), tuple(known), tuple(gone), baseline.costs, costs)


def split_known(findings: Iterable[Finding], keys: Iterable[str]) -> tuple[list[Finding], list[Finding], list[str]]:
    """Split findings by baseline `keys`: new, known, and sorted keys left over. Each key covers one finding."""
    left = Counter(redact(key)[0] for key in keys)
    new: list[Finding] = []
    known: list[Finding] = []
    for finding in findings:
        # Baselines store redacted keys.
        key = redact(finding.key)[0]
        (known if left[key] > 0 else new).append(finding)
        left[key] -= 1
    return new, known, sorted(key for key, count in left.items() for _ in range(count))


def _version(place: Place, value: object) -> None:
    if value != _VERSION:
        raise place.should_be(f"`{_VERSION}`", value)


def _size(place: Place, value: object) -> int:
    if type(value) is not int or not 0 <= value < _MOST_TOKENS:
        raise place.should_be("a number of tokens", value)
    return value


_SIZES = table(_size, wanted="a table of tokens by path")
_FIELDS: Mapping[str, Reader] = {
    "baseline": _version,
    "tokenizer": text,
    "findings": texts,
    "files": _SIZES,
    "starts": table(_SIZES, wanted="a table of agents"),
}
