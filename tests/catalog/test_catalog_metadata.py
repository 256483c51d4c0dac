"""Methods 1 and 8: what the metadata say, and what stands in where they are missing or broken."""

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ctxtui import Notice
from ctxtui.catalog import ContextCatalogEntry, ContextReference, MarkdownFileContextProvider, SectionRef, library
from ctxtui.catalog.library import File
from ctxtui.catalog.metadata import details_from_text
from ctxtui.core.disk.content import Stamp
from ctxtui.core.text.markdown.document import Document
from tests.cases import cases
from tests.catalog.conftest import Doc, Make

MORE = (
    'sections:\n  - name: "Security Issues"\n    estimatedTokens: 60\n    keywords: [auth, sql-injection]\n'
    "  - name: Lists\ntags: [python, api]\ncrossDomainTriggers: [security/guide]\n"
    'detectionTriggers: ["from fastapi import", "@router.get"]\n'
)
FOOTER = (
    "\n---\n\n**Version**: 1.2.3-beta (Compact)\n**Last Updated**: 2025-11-14\n**Maintained For**: py-review skill\n"
)


def test_rows_and_references_have_every_field_of_the_seed(make: Make, doc: Doc) -> None:
    made = make({"python/a.md": doc("python/a", more=MORE, kind="framework", tokens=400, title="FastAPI Patterns")})
    common = ("python/a", "python", "FastAPI Patterns", "framework", 400, "onDemand")
    entry = ContextCatalogEntry(*common, "python/a.md", ("python", "api"))  # type: ignore[arg-type]
    assert made.provider.get_catalog("python") == [entry]
    assert made.provider.get_reference("python", "a") == ContextReference(
        *common,  # type: ignore[arg-type]
        sections=(SectionRef("Security Issues", 60, ("auth", "sql-injection")), SectionRef("Lists", 0, ())),
        tags=("python", "api"),
        cross_domain_triggers=("security/guide",),
        detection_triggers=("from fastapi import", "@router.get"),
        path=str(made.root / "python" / "a.md"),
    )
    assert made.notices == []


def test_without_a_domain_all_domains_are_listed_and_navigation_is_not(make: Make, doc: Doc) -> None:
    navigation = dict.fromkeys(("index.md", "cross_domain.md", "b/index.md"), "")
    made = make({**navigation, "a/x.md": doc("a/x"), "a/sub/y.md": doc("a/sub/y")})
    assert [entry.id for entry in made.provider.get_catalog()] == ["a/x", "a/sub/y", "b/index"]
    assert [entry.id for entry in made.provider.get_catalog("a")] == ["a/x"]
    assert [entry.id for entry in made.provider.get_catalog("a/sub")] == ["a/sub/y"]


def test_a_file_belongs_to_its_folder_whatever_it_claims(make: Make, doc: Doc) -> None:
    made = make({"python/a.md": doc("security/b", domain="security")})
    (entry,) = made.provider.get_catalog()
    assert (entry.id, entry.domain) == ("python/a", "python")
    assert made.codes == ["metadata-identity"]
    # Two files that claim one id are two.
    made = make({"python/a.md": doc("python/a"), "python/b.md": doc("python/a")})
    assert [entry.id for entry in made.provider.get_catalog()] == ["python/a", "python/b"]


@cases("domain", ["", ".", "..", "../x", "/etc", "a\\b", "a\0b", "python/../python", ".git", "nope"])
def test_what_is_no_domain_gives_nothing_and_a_notice(make: Make, doc: Doc, domain: str) -> None:
    made = make({"python/a.md": doc("python/a"), "top.md": "", ".git/x.md": ""})
    assert made.provider.get_catalog(domain) == []
    assert made.codes == ["unknown-domain"]


def test_an_unknown_domain_names_the_nearest(make: Make, doc: Doc) -> None:
    made = make({"python/a.md": doc("python/a")})
    made.provider.get_catalog("pythn")
    assert "did you mean python" in made.notices[0].message


@cases("file", ["nope", "", "..", "../top", "/etc/passwd", "sub/x", "a\0", ".hidden"])
def test_an_unknown_file_is_none_with_a_notice(make: Make, doc: Doc, file: str) -> None:
    made = make({"python/a.md": doc("python/a"), "top.md": "", "python/.hidden.md": ""})
    assert made.provider.get_reference("python", file) is None
    assert made.codes == ["unknown-file"]
    # Its ending may be named.
    assert made.reference("a.md", "python").id == "python/a"


def test_links_out_of_the_catalog_are_no_files(make: Make, doc: Doc) -> None:
    made = make({"python/a.md": doc("python/a")})
    outside = made.root.parent / "outside.md"
    outside.write_text("# Secret\n")
    os.symlink(outside, made.root / "python" / "link.md")
    os.symlink("/etc", made.root / "linked")
    assert [entry.id for entry in made.provider.get_catalog()] == ["python/a"]
    assert made.provider.get_reference("python", "link") is None
    assert made.provider.get_catalog("linked") == []


def test_no_body_is_read(make: Make, doc: Doc) -> None:
    """The seed's "carries no file content": behind the metadata lies a body that cannot be read whole."""
    made = make({"python/a.md": doc("python/a", more=MORE)})
    place = made.root / "python" / "a.md"
    with place.open("r+b") as file:
        file.truncate(1 << 40)
    assert made.reference("a", "python").estimated_tokens == 100
    assert [entry.id for entry in made.provider.get_catalog()] == ["python/a"]
    assert [result.reference.id for result in made.provider.search("sql-injection")] == ["python/a"]
    assert made.notices == []


def test_what_is_read_ends_soon_behind_long_metadata(make: Make, doc: Doc, monkeypatch: pytest.MonkeyPatch) -> None:
    tags = ", ".join(f"tag-{number}" for number in range(4000))
    body = "text\n" * 200_000
    made = make({"python/a.md": doc("python/a", more=f"tags: [{tags}]\n", body=body)})
    read: list[int] = []
    original = library.read_head

    def counting(read_more: Callable[[int], bytes]) -> Any:
        def more(size: int) -> bytes:
            data = read_more(size)
            read.append(len(data))
            return data

        return original(more)

    monkeypatch.setattr(library, "read_head", counting)
    assert len(made.reference("a", "python").tags) == 4000
    assert len(tags) < sum(read) <= 2 * (len(tags) + 8192) < len(body) / 5


def test_the_footer_tells_what_the_frontmatter_does_not(make: Make) -> None:
    """The seed's error table: file missing frontmatter."""
    body = f"# FastAPI `Patterns`\n\n## 1. Security Issues {{#sec}}\n\none two three\n\n```\n## no\n```\n{FOOTER}"
    made = make({"python/fastapi_patterns.md": body})
    reference = made.reference("fastapi_patterns", "python")
    words = len(body.split())
    assert reference == ContextReference(
        id="python/fastapi_patterns",
        domain="python",
        title="FastAPI Patterns",
        type="reference",
        estimated_tokens=round(words / 0.75),
        loading_strategy="onDemand",
        sections=(SectionRef("1. Security Issues", reference.sections[0].estimated_tokens, ("security", "issue")),),
        tags=("python", "fastapi", "patterns"),
        cross_domain_triggers=(),
        detection_triggers=(),
        path=str(made.root / "python" / "fastapi_patterns.md"),
    )
    expected = {"version": "1.2.3-beta", "lastUpdated": "2025-11-14", "maintainedFor": "py-review"}
    expected |= {"id": "python/fastapi_patterns", "domain": "python", "type": "reference"}
    assert made.provider.materialize(reference).metadata.items() >= expected.items()
    assert made.notices == []


def test_the_italic_footer_is_read_and_one_in_code_is_not(make: Make) -> None:
    body = "# A\n\n*Last Updated: 2026-02-10*\n\n```\n**Last Updated**: 1999-01-01\n**Version**: 9.9.9\n```\n"
    made = make({"x/a.md": body})
    metadata = made.provider.materialize(made.reference()).metadata
    assert (metadata["lastUpdated"], "version" in metadata) == ("2026-02-10", False)


@cases(
    ("name", "kind", "strategy"),
    [
        ("index", "index", "always"),
        ("context_detection", "detection", "always"),
        ("common_issues", "reference", "onDemand"),
    ],
)
def test_without_metadata_the_name_tells_type_and_strategy(make: Make, name: str, kind: str, strategy: str) -> None:
    reference = make({f"x/{name}.md": "# A\n"}).reference(name)
    assert (reference.type, reference.loading_strategy) == (kind, strategy)


def test_metadata_win_over_the_footer_and_are_completed_by_it(make: Make) -> None:
    body = f'---\ntitle: "Mine"\nversion: "9.0.0"\n---\n# Heading\n\n## Part\n{FOOTER}'
    made = make({"x/a.md": body})
    reference = made.reference()
    metadata = made.provider.materialize(reference).metadata
    assert (reference.title, metadata["version"], metadata["lastUpdated"]) == ("Mine", "9.0.0", "2025-11-14")
    assert reference.estimated_tokens == round(len(body.partition("# Heading")[2].split()) / 0.75 + 2 / 0.75)
    assert [section.name for section in reference.sections] == ["Part"]


def test_the_first_heading_of_a_name_tells_its_tokens(make: Make) -> None:
    """As the first is the one that a name means."""
    made = make({"x/a.md": "# A\n\n## Examples\n\none two three four\n\n## Other\n\n## Examples\n\nx\n"})
    reference = made.reference()
    assert [(each.name, each.estimated_tokens) for each in reference.sections] == [("Examples", 8), ("Other", 3)]
    (section,) = made.provider.materialize_sections(reference, ["Examples"]).sections
    assert "four" in section.content


BROKEN = (
    "---\nid: x/a\ntitle: Torn\ntype: pattern\nestimatedTokens: 70\nloadingStrategy: always\n"
    "bad: [unclosed\nsections:\n  - name: One\n    estimatedTokens: 5\n  - name: [\n"
    "---\n# Head\n\n## One\n\na b c\n\n## Two\n"
)


def test_broken_yaml_gives_what_can_be_read_and_the_fallback(make: Make) -> None:
    made = make({"x/a.md": BROKEN})
    reference = made.reference()
    assert (reference.title, reference.estimated_tokens, reference.loading_strategy) == ("Torn", 70, "always")
    names = [section.name for section in reference.sections]
    assert (names[0], "Two" in names) == ("One", True)
    assert "frontmatter-yaml" in made.codes


def test_mangled_keys_behind_a_chunk_of_metadata_are_recovered(make: Make, doc: Doc) -> None:
    """The line behind the frontmatter may lie beyond what is read at first."""
    for length in range(7900, 8200, 7):
        text = doc("x/a", more=f"note: {'n' * length}\n", body="## tags: [python, index]\n\n# Title\n")
        assert make({"x/a.md": text}).reference().tags == ("python", "index")


@cases(
    ("written", "read", "notice"),
    [
        ("lazy", "lazy", False),
        ("on-demand", "onDemand", False),
        ("ON_DEMAND", "onDemand", False),
        ("conditional", "onDemand", False),
        ("Always", "always", False),
        ("sometimes", "onDemand", True),
        ("[a]", "onDemand", True),
    ],
)
def test_loading_strategies_are_read_tolerantly(make: Make, doc: Doc, written: str, read: str, notice: bool) -> None:
    made = make({"x/a.md": doc("x/a", strategy=written)})
    (entry,) = made.provider.get_catalog()
    assert entry.loading_strategy == read
    assert made.codes == (["metadata-value"] if notice else [])


@cases("tokens", ["many", "-5", "[1]", ""])
def test_tokens_that_are_no_number_are_estimated(make: Make, doc: Doc, tokens: str) -> None:
    made = make({"x/a.md": doc("x/a", tokens=tokens, body="one two three\n")})
    assert made.provider.get_catalog()[0].estimated_tokens == 4
    assert made.codes == (["metadata-type"] if tokens else [])


def test_unreadable_files_are_left_out_with_a_notice(make: Make, doc: Doc) -> None:
    made = make({"x/a.md": doc("x/a"), "x/b.md": b"\0\1binary", "x/c.md": b"# caf\xe9\n"})
    assert [entry.id for entry in made.provider.get_catalog()] == ["x/a", "x/c"]
    assert made.codes == ["unreadable-file", "invalid-text"]
    # A title that looks like a number is a title.
    assert make({"x/a.md": doc("x/a", title="2026")}).reference().title == "2026"


@cases("prefix", [b"\xef\xbb\xbf", b""])
@cases("ends", ["\n", "\r\n", "\r"])
def test_marks_and_line_ends_do_not_matter(make: Make, doc: Doc, prefix: bytes, ends: str) -> None:
    made = make({"x/a.md": prefix + doc("x/a", more="tags: [q]\n").replace("\n", ends).encode()})
    assert made.provider.get_catalog()[0].tags == ("q",)


def test_a_linked_folder_is_no_domain_for_any_method(make: Make, doc: Doc) -> None:
    made = make({"x/a.md": doc("x/a")})
    os.symlink("x", made.root / "alias")
    assert made.provider.domains() == ["x"]
    assert made.provider.get_catalog("alias") == []
    assert made.provider.get_reference("alias", "a") is None
    assert made.codes == ["unknown-domain", "unknown-file"]


def test_odd_names_get_safe_ids(make: Make, doc: Doc) -> None:
    made = make({"x/a#b%c.md": doc("x/a")})
    (entry,) = made.provider.get_catalog()
    assert entry.id == "x/a%23b%25c"
    assert made.provider.materialize(made.reference("a#b%c")).content == "# Body\n"


def test_an_empty_root_and_none_at_all_are_told(make: Make, doc: Doc) -> None:
    made = make({"top.md": ""})
    assert made.provider.get_catalog() == []
    assert made.codes == ["empty-catalog"]
    gone = MarkdownFileContextProvider(made.root / "gone", on_notice=made.notices.append)
    assert gone.get_catalog() == []
    assert gone.get_reference("x", "a") is None
    assert made.codes[1:] == ["empty-catalog", "unknown-file"]
    # Installed packages are no domains.
    made = make({"x/a.md": doc("x/a"), "node_modules/left/readme.md": "# No\n", ".hidden/a.md": "# No\n"})
    assert made.provider.domains() == ["x"]


def test_a_formatter_that_mangles_a_real_catalog_changes_no_metadata(forge: Path, tmp_path: Path) -> None:
    """As later states of the real catalog are: `tags` behind the metadata, other keys as comments in them."""
    root = tmp_path / "context"
    for file in forge.rglob("*.md"):
        text = file.read_text()
        for key, name in (("tags", "index.md"), ("crossDomainTriggers", "code_review_principles.md")):
            if file.name == name:
                text = re.sub(rf"(?m)^({key}: \[.*\])\n---\n", r"---\n\n## \1\n", text)
        text = re.sub(r"(?m)^(detectionTriggers: \[.*\])$", r"## \1\n", text)
        place = root / file.relative_to(forge)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    notices: list[Notice] = []
    whole, damaged = (MarkdownFileContextProvider(each, on_notice=notices.append) for each in (forge, root))
    assert damaged.get_catalog() == whole.get_catalog()
    assert {notice.code for notice in notices} == {"frontmatter-mangled"}
    assert len(notices) >= 10
    for entry in whole.get_catalog():
        one, other = (each.get_reference(entry.domain, entry.id.rpartition("/")[2]) for each in (whole, damaged))
        assert one is not None
        assert other is not None
        assert replace(one, path="") == replace(other, path="")
        assert damaged.materialize(other).content == whole.materialize(one).content


_LINES = [
    *("**Version**: 1.0\n", "version: v2.1.0-rc (x)\n", " *Version: 3.3*\n", "Version: none\n"),
    *("_LAST UPDATED_: 2026-01-31\n", "Last updated: 2025-12-01\r\n", "Ver\u017fion: 4.0\n"),
    *("Maintained for: a b skill\n", "**Maintained For**: **x**\n", "text Version: 5.0\n"),
    *("```\n", "~~~\n", "<div>\n", "\n", "- a\n", "    Version: 6.0\n", "# T\n"),
]

_PATTERNS = {
    "version": r"(?im)^[*_ \t]*version[*_]*:[*_ \t]*v?(\d+\.\d+(?:\.\d+)?(?:-[\w.]+)?)",
    "lastUpdated": r"(?im)^[*_ \t]*last updated[*_]*:[*_ \t]*(\d{4}-\d{2}-\d{2})",
    "maintainedFor": r"(?im)^[*_ \t]*maintained for[*_]*:[*_ \t]*([^*_\r\n]*[^*_\s])",
}


@given(st.lists(st.sampled_from(_LINES), max_size=10).map("".join))
@example("Version: 1.0\n```\nVersion: 2.0\n<div>\n```\nVersion: 3.0\n<div>\nVersion: 4.0\n")
def test_the_last_footer_of_each_kind_outside_code_counts(text: str) -> None:
    document = Document("a.md", text, Stamp(1, 1, 1))
    lines, code = document.scan.lines, document.scan.code
    expected = {
        key: [match[1] for match in re.finditer(pattern, document.body) if lines.at(match.start()) not in code]
        for key, pattern in _PATTERNS.items()
    }
    values = details_from_text(File("", "a", "a.md", document.stamp), document).values
    assert [(key, value) for key, value in values.items() if key in _PATTERNS] == [
        (key, found[-1].removesuffix("skill").rstrip()) for key, found in expected.items() if found
    ]
