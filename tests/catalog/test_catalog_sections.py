"""Methods 9 and 10: whole bodies, and sections with their exact text."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from ctxtui.catalog import ContextReference, MarkdownFileContextProvider, PartialContextFile, SectionContent
from ctxtui.core import get_counter
from ctxtui.core.text.markdown.scan import match_key, scan
from tests.cases import cases
from tests.catalog.conftest import Doc, Made, Make

MORE = 'sections:\n  - name: "Security Issues"\n    estimatedTokens: 60\n    keywords: [auth]\n'
BODY = """# Title

Intro.

## 1. Memory Leaks {#memory-leaks}

leak

### Deep

deep

## Security *Issues*

```md
## In a fence
```

## Notes

first

## Notes

second

Setext
------

under
"""


def opened(make: Make, doc: Doc, body: str = BODY) -> tuple[Made, ContextReference]:
    made = make({"x/a.md": doc("x/a", more=MORE, body=body)})
    return made, made.reference()


def texts(partial: PartialContextFile) -> list[str]:
    return [section.content for section in partial.sections]


def test_materialize_gives_the_body_without_frontmatter(make: Make, doc: Doc) -> None:
    made, reference = opened(make, doc)
    file = made.provider.materialize(reference)
    assert (file.id, file.title, file.content) == ("x/a", "A title", BODY)
    assert file.estimated_tokens == get_counter().count(BODY)
    assert file.metadata["estimatedTokens"] == 100
    assert file.metadata["sections"][0] == {"name": "Security Issues", "estimatedTokens": 60, "keywords": ["auth"]}
    assert made.notices == []


def test_the_counter_can_be_chosen(make: Make) -> None:
    made = make({"x/a.md": "# A\n12345678"})
    provider = MarkdownFileContextProvider(made.root, counter=get_counter("heuristic"))
    assert provider.materialize(made.reference()).estimated_tokens == 3
    assert provider.materialize_sections(made.reference(), ["A"]).total_tokens == 3


def test_a_changed_file_is_read_anew_and_a_vanished_one_is_empty_with_a_notice(make: Make, doc: Doc) -> None:
    made, reference = opened(make, doc)
    made.provider.materialize(reference)
    (made.root / "x" / "a.md").write_text("# Other\n")
    assert made.provider.materialize(reference).content == "# Other\n"
    (made.root / "x" / "a.md").unlink()
    file = made.provider.materialize(reference)
    assert (file.id, file.content, file.estimated_tokens, file.metadata) == ("x/a", "", 0, {})
    partial = made.provider.materialize_sections(reference, ["Notes"])
    assert (partial.sections, partial.total_tokens) == ((), 0)
    assert made.codes == ["missing-file", "missing-file"]


def test_a_reference_never_leads_out_of_the_catalog(make: Make, doc: Doc) -> None:
    made, reference = opened(make, doc)
    (made.root.parent / "secret.md").write_text("secret")
    for id_ in ("../secret", "x/../../secret", "..%2fsecret", "/etc/passwd"):
        file = made.provider.materialize(replace(reference, id=id_, path=str(made.root.parent / "secret.md")))
        assert file.content == ""


@cases(
    "name",
    [
        *("Memory Leaks", "memory leaks", "1. Memory Leaks", "1. Memory Leaks {#memory-leaks}", "**Memory** Leaks"),
        # Slugs and anchors.
        *("memory-leaks", "1-memory-leaks", "#1-memory-leaks"),
    ],
)
def test_names_match_without_numbering_anchor_emphasis_and_case(make: Make, doc: Doc, name: str) -> None:
    made, reference = opened(make, doc)
    partial = made.provider.materialize_sections(reference, [name])
    assert texts(partial) == ["## 1. Memory Leaks {#memory-leaks}\n\nleak\n\n### Deep\n\ndeep\n\n"]
    assert made.notices == []


def test_a_section_ends_at_the_next_of_its_level_and_has_its_cost(make: Make, doc: Doc) -> None:
    made, reference = opened(make, doc)
    partial = made.provider.materialize_sections(reference, ["Deep", "Setext", "security issues"])
    assert partial.sections == (
        SectionContent("Deep", "### Deep\n\ndeep\n\n"),
        SectionContent("Setext", "Setext\n------\n\nunder\n"),
        SectionContent("Security Issues", "## Security *Issues*\n\n```md\n## In a fence\n```\n\n"),
    )
    assert partial.total_tokens == sum(get_counter().count(text) for text in texts(partial))
    assert (partial.id, partial.title, partial.metadata["type"]) == ("x/a", "A title", "pattern")


def test_names_that_are_no_heading_give_an_empty_list_and_a_notice(make: Make, doc: Doc) -> None:
    """The seed's error table: section name not found."""
    made, reference = opened(make, doc)
    partial = made.provider.materialize_sections(reference, ["In a fence", "", "Nope", "#", "(preamble)"])
    assert (partial.sections, partial.total_tokens) == ((), 0)
    assert made.codes == ["section-not-found"] * 5
    # Found sections come beside missing ones, and a single name is one name.
    for names, missing in ((["Nope", "Deep"], 6), ("Deep", 6)):
        assert texts(made.provider.materialize_sections(reference, names)) == ["### Deep\n\ndeep\n\n"]
        assert made.codes == ["section-not-found"] * missing


def test_repeated_names_can_be_addressed(make: Make, doc: Doc) -> None:
    made, reference = opened(make, doc)
    first, second = "## Notes\n\nfirst\n\n", "## Notes\n\nsecond\n\n"
    assert texts(made.provider.materialize_sections(reference, ["Notes"])) == [first]
    assert made.codes == ["section-repeated"]
    for name in ("notes-1", "Notes-1"):
        assert texts(made.provider.materialize_sections(reference, [name])) == [second]
    for names in (["Notes", "Notes"], ["Notes", "notes-1"], ["Notes"] * 3):
        assert texts(made.provider.materialize_sections(reference, names)) == [first, second]


def test_a_section_of_the_second_level_comes_before_deeper_ones_of_its_name(make: Make, doc: Doc) -> None:
    made, reference = opened(make, doc, "# T\n\n## A\n\n### B\n\nx\n\n## B\n\ny\n")
    assert texts(made.provider.materialize_sections(reference, ["B"])) == ["## B\n\ny\n"]
    assert texts(made.provider.materialize_sections(reference, ["A/B"])) == ["### B\n\nx\n\n"]


@cases(
    "name",
    ["Actions, Reducers, Selectors", "Step 1: Read", "N+1 Query", "Feature: {name}", "Server\u2011Side", "a|b"],
)
def test_odd_names_are_names(make: Make, doc: Doc, name: str) -> None:
    made, reference = opened(make, doc, f"# T\n\n## {name}\n\nx\n")
    assert texts(made.provider.materialize_sections(reference, [name])) == [f"## {name}\n\nx\n"]


@pytest.mark.parametrize("tree", ["forge", "footers"])
def test_every_declared_section_that_is_a_heading_is_found_on_real_files(
    tree: str, request: pytest.FixtureRequest
) -> None:
    root: Path = request.getfixturevalue(tree)
    provider = MarkdownFileContextProvider(root, on_notice=lambda _: None)
    found = missing = 0
    for entry in provider.get_catalog():
        reference = provider.get_reference(entry.domain, entry.id.rpartition("/")[2])
        assert reference is not None
        text = (root / entry.path).read_text()
        body = provider.materialize(reference).content
        assert text.endswith(body)
        keys = {match_key(heading.name) for heading in scan(body).headings}
        for section in reference.sections:
            partial = provider.materialize_sections(reference, [section.name])
            if match_key(section.name) in keys:
                found += 1
                assert partial.sections[0].content in body
                assert re.match(r"#{1,6} |[^\n]+\n[-=]", partial.sections[0].content)
            elif not partial.sections:
                missing += 1
    assert found > 640
    assert missing < 30
