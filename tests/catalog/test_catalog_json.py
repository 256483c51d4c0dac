"""JSON has the keys of the specification, letter for letter."""

import json
from datetime import date
from pathlib import Path

from ctxtui.catalog import (
    ContextFile,
    DetectionResult,
    DetectionSignals,
    MarkdownFileContextProvider,
    PartialContextFile,
    collect_signals,
    run_protocol,
    to_json,
)

KEYS = {
    "entry": "id domain title type estimatedTokens loadingStrategy path tags",
    "index": "domain files workflows detectionHints",
    "file_entry": "id path type loadingStrategy purpose",
    "workflow": "name files steps",
    "hint": "pattern files",
    "protocol": "steps tokenBudget priorityOrder",
    "step": "number title description actions",
    "file": "id title content estimatedTokens metadata",
    "signals": "imports filePatterns codePatterns configFiles",
    "detection": "framework libraries architecture testingFramework recommendedFiles",
    "reference": (
        "id domain title type estimatedTokens loadingStrategy sections tags crossDomainTriggers detectionTriggers path"
    ),
    "section": "name estimatedTokens keywords",
    "partial": "id title sections totalTokens metadata",
    "content": "name content",
    "result": "reference relevance matchedOn",
}


def test_every_type_has_the_seeds_keys(sample: Path) -> None:
    provider = MarkdownFileContextProvider(sample / "context_library")
    reference = provider.get_reference("python", "fastapi_patterns")
    assert reference is not None
    index = provider.get_domain_index("python")
    partial = provider.materialize_sections(reference, ["Security Issues"])
    values = {
        "entry": provider.get_catalog()[0],
        "index": index,
        "file_entry": index.files[0],
        "workflow": index.workflows[0],
        "hint": index.detection_hints[0],
        "protocol": provider.get_loading_protocol(),
        "step": provider.get_loading_protocol().steps[0],
        "file": provider.materialize(reference),
        "signals": DetectionSignals(),
        "detection": DetectionResult(),
        "reference": reference,
        "section": reference.sections[0],
        "partial": partial,
        "content": partial.sections[0],
        "result": provider.search("fastapi")[0],
    }
    assert {name: " ".join(to_json(value)) for name, value in values.items()} == KEYS


def test_metadata_keep_their_keys_and_become_plain_data() -> None:
    metadata = {
        "lastUpdated": date(2026, 1, 2),
        "some_key": {1: (True, None, 1.5)},
        "other": {"a"},
        "path": Path("x"),
    }
    plain = {"lastUpdated": "2026-01-02", "some_key": {"1": [True, None, 1.5]}, "other": ["a"], "path": "x"}
    assert to_json(ContextFile("a", "t", "c", 1, metadata))["metadata"] == plain


def test_reasons_and_explanations_come_along_where_there_are_any(sample: Path) -> None:
    provider = MarkdownFileContextProvider(sample / "context_library")
    (file, *_) = provider.get_always_load_files("python")
    assert to_json(file)["reason"] == "always, as the file itself says"
    detection = provider.detect_project_type("python", DetectionSignals(imports=["import fastapi"]))
    assert to_json(detection)["explanation"][0]["row"] == "fastapi"


def test_lists_of_values_are_json(sample: Path) -> None:
    provider = MarkdownFileContextProvider(sample / "context_library")
    result = run_protocol(provider, "python", collect_signals(sample), ["auth"])
    text = json.dumps(to_json([*provider.get_catalog(), PartialContextFile("a", "b", (), 0, {}), result]))
    assert json.loads(text)
