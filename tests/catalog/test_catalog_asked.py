"""Wrong questions and wrong places: no method raises, and the notices say what is the matter."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ctxtui.catalog import (
    CachedContextProvider,
    ContextFile,
    ContextProvider,
    DetectionResult,
    DetectionSignals,
    DomainIndex,
    MarkdownFileContextProvider,
    run_protocol,
)
from tests.cases import cases
from tests.catalog.conftest import Doc, Make
from tests.conftest import Project

ODD: tuple[Any, ...] = (None, 3, 1.5, True, b"x", ["x"], {"a": 1}, object(), "nope", "x\0y", "\ud800")
CALLS: dict[str, Callable[[ContextProvider, Any], object]] = {
    "get_domain_index": lambda provider, odd: provider.get_domain_index(odd).files,
    "get_always_load_files": lambda provider, odd: provider.get_always_load_files(odd),
    "detect_project_type": lambda provider, odd: provider.detect_project_type(odd, DetectionSignals()).framework,
    "detect_project_type signals": lambda provider, odd: provider.detect_project_type("x", odd).framework,
    "get_conditional_context": lambda provider, odd: provider.get_conditional_context(odd, DetectionResult()),
    "get_conditional_context detection": lambda provider, odd: provider.get_conditional_context("x", odd),
    "get_cross_domain_context": lambda provider, odd: provider.get_cross_domain_context(odd, ["auth"]),
    "get_reference": lambda provider, odd: provider.get_reference(odd, "a"),
    "get_reference file": lambda provider, odd: provider.get_reference("x", odd),
    "materialize": lambda provider, odd: provider.materialize(odd).content,
    "materialize_sections": lambda provider, odd: provider.materialize_sections(odd, ["A"]).sections,
    "search domain": lambda provider, odd: provider.search("a", odd) if odd is not None else [],
}


@cases("cached", [False, True])
@cases("name", CALLS)
def test_an_unknown_or_odd_name_gives_nothing_and_a_notice(make: Make, doc: Doc, name: str, cached: bool) -> None:
    made = make({"x/a.md": doc("x/a"), "x/index.md": doc("x/index", kind="index"), "cross_domain.md": "# None\n"})
    provider = CachedContextProvider(made.provider) if cached else made.provider
    for odd in ODD:
        made.notices.clear()
        assert not CALLS[name](provider, odd)
        assert made.notices or (odd is None and name == "search domain")


@cases("cached", [False, True])
def test_odd_lists_and_queries_raise_nothing(make: Make, doc: Doc, cached: bool) -> None:
    made = make({"x/a.md": doc("x/a"), "cross_domain.md": "# None\n"})
    provider = CachedContextProvider(made.provider) if cached else made.provider
    reference = made.reference()
    for odd in (3, object(), 1.5):
        made.notices.clear()
        assert provider.materialize_sections(reference, odd).sections == ()  # type: ignore[arg-type]
        assert provider.get_cross_domain_context("x", odd) == []  # type: ignore[arg-type]
        assert provider.search(odd) == []  # type: ignore[arg-type]
        assert made.codes.count("wrong-type") == 3
    assert provider.materialize_sections(reference, [["a"]]).sections == ()  # type: ignore[list-item]
    assert isinstance(provider.get_domain_index(None), DomainIndex)  # type: ignore[arg-type]
    assert isinstance(provider.materialize(None), ContextFile)  # type: ignore[arg-type]
    result = run_protocol(provider, None, DetectionSignals(), None)  # type: ignore[arg-type]
    assert result.files == ()


def test_one_trigger_is_one_trigger_in_the_protocol_and_counters_may_be_named(make: Make, doc: Doc) -> None:
    made = make({"x/a.md": doc("x/a", body="12345678"), "cross_domain.md": "# None\n"})
    assert run_protocol(made.provider, "x", DetectionSignals(), "auth").steps[4].reason.endswith("triggers: auth")
    provider = MarkdownFileContextProvider(made.root, counter="heuristic")
    assert provider.materialize(made.reference()).estimated_tokens == 2


BROKEN = "---\ntitle: [unclosed\nbad: : x\n---\n"
CROSS = "# Cross\n\n| Domain | Trigger | Load | Relevance |\n|---|---|---|---|\n| any | auth | `x/a.md` | 0.9 |\n"


def test_broken_frontmatter_of_the_files_that_are_read_is_told(make: Make, doc: Doc) -> None:
    made = make(
        {
            "cross_domain.md": BROKEN + CROSS,
            "loading_protocol.md": BROKEN + "# Protocol\n",
            "x/a.md": doc("x/a"),
            "x/context_detection.md": BROKEN + "# Detection\n",
        }
    )
    made.provider.get_cross_domain_context("x", ["kubernetes"])
    made.provider.get_loading_protocol()
    made.provider.detect_project_type("x", DetectionSignals())
    broken = [notice.path for notice in made.notices if notice.code == "frontmatter-yaml"]
    assert broken == ["cross_domain.md", "loading_protocol.md", "x/context_detection.md"]
    unmatched, steps = (made.notices[place].message for place in (1, 3))
    assert unmatched.startswith("no row for x matches the trigger 'kubernetes'; the file's frontmatter is broken")
    assert "no steps were found; the file's frontmatter is broken (line" in steps
    made.notices.clear()
    run_protocol(made.provider, "x", DetectionSignals(), ["auth"])
    assert {notice.path for notice in made.notices if notice.code == "frontmatter-yaml"} >= set(broken)


def test_sound_files_are_not_called_broken(make: Make, doc: Doc) -> None:
    made = make({"cross_domain.md": CROSS, "loading_protocol.md": "# Protocol\n", "x/a.md": doc("x/a")})
    made.provider.get_cross_domain_context("x", ["kubernetes"])
    made.provider.get_loading_protocol()
    assert [notice.message for notice in made.notices] == [
        "no row for x matches the trigger 'kubernetes'",
        "no steps were found; those of the standard protocol are used",
    ]


def _told(root: Path, ask: Callable[[ContextProvider], object]) -> list[str]:
    told: list[str] = []
    ask(MarkdownFileContextProvider(root, on_notice=lambda notice: told.append(notice.message)))
    return told


ASKS: tuple[Callable[[ContextProvider], object], ...] = (
    lambda provider: provider.get_catalog(),
    lambda provider: provider.get_domain_index("python"),
    lambda provider: provider.get_loading_protocol(),
    lambda provider: provider.search("a"),
    lambda provider: run_protocol(provider, "python", DetectionSignals()),
)


@cases("ask", ASKS)
def test_a_root_that_is_none_is_told(tmp_path: Path, ask: Callable[[ContextProvider], object]) -> None:
    (tmp_path / "file").write_text("")
    assert any("gone does not exist; give the folder" in each for each in _told(tmp_path / "gone", ask))
    assert any("file is a file; give the folder" in each for each in _told(tmp_path / "file", ask))


@cases("ask", ASKS)
def test_a_project_that_is_opened_instead_of_its_catalog_is_told(
    project: Project, doc: Doc, ask: Callable[[ContextProvider], object]
) -> None:
    catalog = {
        "context_library/loading_protocol.md": "# Protocol\n\n## Step 1: Read\n",
        "context_library/python/index.md": doc("python/index", kind="index"),
        "context_library/python/a.md": doc("python/a"),
        "context_library/security/index.md": doc("security/index", kind="index"),
    }
    root = project({"README.md": "# Shop\n", "docs/index.md": "# Docs\n", **catalog})
    wanted = f"the catalog is in context_library; open {os.path.realpath(root)}/context_library instead"
    assert any(wanted in each for each in _told(root, ask))
    assert not any("catalog is in" in each for each in _told(root / "context_library", ask))
