from collections.abc import Callable
from pathlib import Path

from ctxtui import Notice, Workspace
from ctxtui.core.text.metadata.reference import Reference
from tests.cases import cases

Make = Callable[..., Path]
PATTERN = (
    "---\nid: a\ntitle: Patterns\ntype: pattern\nloadingStrategy: onDemand\n"
    "estimatedTokens: 900\ntags: [x]\n---\n# Text\n"
)


def _catalog(root: Path, notices: list[Notice] | None = None) -> dict[str, Reference]:
    receive = (notices if notices is not None else []).append
    workspace = Workspace.open(root, on_notice=receive)
    return {reference.path: reference for reference in workspace.references if reference.source == "catalog"}


def test_a_folder_of_domains_with_navigation_is_a_catalog(project: Make) -> None:
    root = project({"lib/loading_protocol.md": "", "lib/python/index.md": "# Python\n", "lib/python/a.md": PATTERN})
    assert set(_catalog(root)) == {"lib/loading_protocol.md", "lib/python/index.md", "lib/python/a.md"}


def test_a_folder_of_domains_with_declared_loading_is_a_catalog(project: Make) -> None:
    root = project({"lib/python/index.md": "", "lib/python/a.md": PATTERN, "lib/top.md": ""})
    assert set(_catalog(root)) == {"lib/python/index.md", "lib/python/a.md", "lib/top.md"}


def test_a_catalog_needs_no_frontmatter(project: Make) -> None:
    root = project({"lib/cross_domain.md": "", "lib/python/index.md": "# Python\n", "lib/python/a.md": "text\n"})
    found = _catalog(root)
    assert found["lib/python/a.md"].title == "a"
    assert found["lib/python/index.md"].title == "Python"
    assert (found["lib/python/index.md"].strategy, found["lib/python/a.md"].strategy) == ("always", "onDemand")


def test_a_file_without_frontmatter_tells_by_its_footer(project: Make) -> None:
    text = (
        "# Old patterns\n\ntext\n\n**Version**: 1.2.0\n**Last Updated**: 2025-11-14\n**Maintained For**: `x` skill\n"
    )
    root = project({"lib/cross_domain.md": "", "lib/python/index.md": "", "lib/python/old_patterns.md": text})
    details = _catalog(root)["lib/python/old_patterns.md"].details
    assert details.values["version"] == "1.2.0"
    assert details.values["lastUpdated"] == "2025-11-14"
    assert details.tags == ("python", "old", "patterns")
    # Nobody declared any tokens, so none can be wrong.
    assert (details.declared_tokens, details.sections) == (None, ())


@cases(
    "files",
    [
        {"docs/guide/index.md": "# Guide\n", "docs/guide/a.md": "# A\n", "docs/index.md": "# Docs\n"},
        {"docs/a.md": PATTERN},
        {"index.md": PATTERN},
        {"docs/guide/page.md": PATTERN, "docs/other/page.md": ""},
    ],
)
def test_other_folders_are_none(project: Make, files: dict[str, str]) -> None:
    assert _catalog(project(files)) == {}


def test_the_project_itself_can_be_a_catalog(project: Make) -> None:
    root = project({"index.md": "", "cross_domain.md": "", "python/index.md": "", "python/a.md": PATTERN})
    assert {reference.id for reference in _catalog(root).values()} == {
        "index.md",
        "cross_domain.md",
        "python/index",
        "python/a",
    }


def test_domains_are_folders_and_never_what_a_file_claims(project: Make) -> None:
    text = PATTERN.replace("type:", "domain: security\ntype:")
    root = project({"lib/cross_domain.md": "", "lib/python/index.md": "", "lib/python/a.md": text})
    reference = _catalog(root)["lib/python/a.md"]
    assert (reference.id, reference.folders) == ("python/a", ("lib", "python"))
    assert reference.details.domain == "security"


def test_what_the_metadata_say_is_kept(project: Make) -> None:
    reference = _catalog(project({"lib/cross_domain.md": "", "lib/python/index.md": "", "lib/python/a.md": PATTERN}))[
        "lib/python/a.md"
    ]
    assert (reference.title, reference.strategy) == ("Patterns", "onDemand")
    assert (reference.details.type, reference.details.declared_tokens, reference.details.tags) == (
        "pattern",
        900,
        ("x",),
    )


def test_always_lasts_longest_and_navigation_and_lazy_go_first(project: Make) -> None:
    files = {
        f"lib/python/{name}.md": PATTERN.replace("onDemand", name) for name in ("always", "onDemand", "lazy", "odd")
    }
    found = _catalog(
        project({"lib/cross_domain.md": "", "lib/python/index.md": PATTERN.replace("onDemand", "always"), **files})
    )
    priorities = {path.rpartition("/")[2]: reference.priority for path, reference in found.items()}
    assert (
        priorities["always.md"]
        < priorities["onDemand.md"]
        == priorities["odd.md"]
        < priorities["index.md"]
        < priorities["lazy.md"]
    )


def test_two_catalogs_are_told_apart(project: Make) -> None:
    notices: list[Notice] = []
    files = {f"{root}/{name}": "" for root in ("one", "two") for name in ("cross_domain.md", "python/index.md")}
    found = _catalog(project(files), notices)
    assert found["one/python/index.md"].id == "python/index"
    assert found["two/python/index.md"].id == "two/python/index.md"
    assert [(notice.code, notice.path) for notice in notices] == [("duplicate-id", "two/python/index.md")]


def test_a_catalog_inside_a_catalog_is_part_of_it(project: Make) -> None:
    root = project(
        {f"lib/{name}": "" for name in ("cross_domain.md", "a/index.md", "a/cross_domain.md", "a/b/index.md")}
    )
    assert {reference.id for reference in _catalog(root).values()} == {
        "lib/cross_domain.md",
        "a/index",
        "a/cross_domain",
        "a/b/index",
    }


def test_ignored_and_unreadable_files_are_left_out(project: Make) -> None:
    notices: list[Notice] = []
    files = {
        "lib/cross_domain.md": "",
        "lib/python/index.md": "",
        "lib/python/no.md": "",
        "lib/python/bin.md": b"a\0",
        ".gitignore": "no.md\n",
    }
    assert set(_catalog(project(files), notices)) == {"lib/cross_domain.md", "lib/python/index.md"}
    assert ("unreadable-file", "lib/python/bin.md") in {(notice.code, notice.path) for notice in notices}


def test_what_was_wrong_with_metadata_is_told(project: Make) -> None:
    notices: list[Notice] = []
    text = "---\nid: a\nbad: [\nestimatedTokens: many\n---\n# A\n"
    found = _catalog(
        project({"lib/cross_domain.md": "", "lib/python/index.md": "", "lib/python/a.md": text}), notices
    )
    assert found["lib/python/a.md"].details.values["id"] == "a"
    assert {(notice.code, notice.path) for notice in notices} == {
        ("frontmatter-yaml", "lib/python/a.md"),
        ("metadata-type", "lib/python/a.md"),
    }


@cases(
    ("text", "title"),
    [
        ("# Café", "Café"),
        ("# 漢字", "漢字"),
        ("text\n# Later\n", "Later"),
        ("---\nid: a\n---\n# After\n", "After"),
        ("---\r\nid: a\r\n---\r\n# After\r\n", "After"),
        ("\ufeff# Marked\n", "Marked"),
        ("## Only two\n", "a"),
        ("```sh\n# no title\n```\n# Title\n", "Title"),
        ("# Title #\n", "Title"),
    ],
)
def test_a_title_is_the_first_heading_of_the_first_level(project: Make, text: str, title: str) -> None:
    root = project({"lib/cross_domain.md": "", "lib/python/index.md": "", "lib/python/a.md": text})
    assert _catalog(root)["lib/python/a.md"].title == title


def test_long_metadata_are_read_to_their_closing_line(project: Make) -> None:
    tags = ", ".join(f"tag-{number}" for number in range(3000))
    text = f"---\nid: a\nnote: |\n  a\n  ----\ntags: [{tags}]\nestimatedTokens: 7\n---\n# A\n"
    root = project({"lib/cross_domain.md": "", "lib/python/index.md": "", "lib/python/a.md": text})
    reference = _catalog(root)["lib/python/a.md"]
    assert len(reference.details.tags) == 3000
    assert reference.details.declared_tokens == 7
