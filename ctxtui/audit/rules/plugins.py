"""Options of pytest that only a plugin has, where no file of the project names the plugin."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from ctxtui.audit.context import Audited
from ctxtui.audit.roles import is_fixture, is_sample
from ctxtui.audit.types import Finding, Remedy

_PLUGINS: Final[Mapping[str, str]] = {"-n": "pytest-xdist", "--cov": "pytest-cov", "--reruns": "pytest-rerunfailures"}
_OPTION: Final = "-n|--cov|--reruns"
# Ends at the next `pytest`, so that a long line is read once.
_RUNS: Final = re.compile(
    rf"(?:^|[`$\s])(pytest(?:[ ](?!(?:{_OPTION}|pytest)\b)[^\s`;&|]+)*[ ]({_OPTION})(?=[ =]\S)[^`;&|\n]*)"
)
# Files that may name the packages of a project.
_MANIFEST: Final = re.compile(
    r"(?:^|/)(?:[\w.-]*requirements[\w.-]*|pyproject\.toml|setup\.(?:py|cfg)|tox\.ini|noxfile\.py|Pipfile(?:\.lock)?"
    r"|(?:uv|poetry|pdm)\.lock|[\w.-]*env[\w.-]*\.ya?ml|Dockerfile[\w.-]*|pixi\.\w+)$|(?:^|/)requirements/|^\.github/"
)


def missing_plugins(audited: Audited) -> Iterator[Finding]:
    """Each missing plugin once in a text, if a manifest names pytest."""
    named: set[str] | None = None
    for reference in audited.instructions():
        told = set[str]()
        for match in _RUNS.finditer(audited.text(reference.path) or ""):
            named = _named(audited) if named is None else named
            plugin = _PLUGINS[match[2]]
            if "pytest" in named and plugin not in named | told:
                told.add(plugin)
                line, run = match.string.count("\n", 0, match.start(1)) + 1, match[1].strip()
                message = f"runs `{run}`, but no file of the project names {plugin}, which has `{match[2]}`"
                many = f"runs pytest in {{count}} places with options of {plugin}, which no file of the project names"
                evidence, remedy = "searched for it in every manifest and workflow", Remedy(f"add {plugin}")
                more = (evidence, None, plugin, remedy, plugin, many)
                yield Finding("missing-command", "info", message, reference.path, line, 0, *more)


def _named(audited: Audited) -> set[str]:
    """`pytest` and its plugins that the manifests and workflows name."""
    paths = [each for each in audited.paths if _MANIFEST.search(each) and not (is_fixture(each) or is_sample(each))]
    texts = [(audited.text(each) or "").lower().replace("_", "-") for each in paths]
    return {each for each in ("pytest", *_PLUGINS.values()) if any(each in text for text in texts)}
