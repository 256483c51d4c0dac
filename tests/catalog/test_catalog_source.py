from pathlib import Path

from ctxtui import Notice, Workspace
from ctxtui.core.text.metadata.reference import Reference
from tests.cases import cases
from tests.conftest import Project

PATTERN = (
    "---\nid: a\ntitle: Patterns\ntype: pattern\nloadingStrategy: onDemand\n"
    "estimatedTokens: 900\ntags: [x]\n---\n# Text\n"
)
LIBRARY = {"lib/cross_domain.md": "", "lib/python/index.md": ""}


def _catalog(root: Path, notices: list[Notice] | None = None) -> dict[str, Reference]:
    workspace = Workspace.open(root, on_notice=(notices if notices is not None else []).append)
    return {reference.path: reference for reference in workspace.references if reference.source == "catalog"}


@cases(
    ("files", "ids"),
    [
        # With navigation.
        (
            {"lib/loading_protocol.md": "", "lib/python/index.md": "# Python\n", "lib/python/a.md": PATTERN},
            "lib/loading_protocol.md python/index python/a",
        ),
        # With declared loading.
        (
            {"lib/python/index.md": "", "lib/python/a.md": PATTERN, "lib/top.md": ""},
            "python/index python/a lib/top.md",
        ),
        # The project itself.
        (
            {"index.md": "", "cross_domain.md": "", "python/index.md": "", "python/a.md": PATTERN},
            "index.md cross_domain.md python/index python/a",
        ),
    ],
)
def test_a_folder_of_domains_is_a_catalog(project: Project, files: dict[str, str], ids: str) -> None:
    found = _catalog(project(files))
    assert {path: each.id for path, each in found.items()} == dict(zip(files, ids.split(), strict=True))


def test_a_catalog_needs_no_frontmatter(project: Project) -> None:
    found = _catalog(project({**LIBRARY, "lib/python/index.md": "# Python\n", "lib/python/a.md": "text\n"}))
    a, index = found["lib/python/a.md"], found["lib/python/index.md"]
    assert ((a.id, a.title, a.strategy), index.id) == (("python/a", "a", "onDemand"), "python/index")
    assert (index.title, index.strategy) == ("Python", "always")


def test_a_file_without_frontmatter_tells_by_its_footer(project: Project) -> None:
    text = (
        "# Old patterns\n\ntext\n\n**Version**: 1.2.0\n**Last Updated**: 2025-11-14\n**Maintained For**: `x` skill\n"
    )
    details = _catalog(project({**LIBRARY, "lib/python/old_patterns.md": text}))["lib/python/old_patterns.md"].details
    assert (details.values["version"], details.values["lastUpdated"]) == ("1.2.0", "2025-11-14")
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
def test_other_folders_are_none(project: Project, files: dict[str, str]) -> None:
    assert _catalog(project(files)) == {}


def test_what_the_metadata_say_is_kept_but_domains_are_folders(project: Project) -> None:
    text = PATTERN.replace("type:", "domain: security\ntype:")
    reference = _catalog(project({**LIBRARY, "lib/python/a.md": text}))["lib/python/a.md"]
    assert (reference.id, reference.folders) == ("python/a", ("lib", "python"))
    assert (reference.title, reference.strategy) == ("Patterns", "onDemand")
    details = reference.details
    assert (details.domain, details.type, details.declared_tokens, details.tags) == (
        "security",
        "pattern",
        900,
        ("x",),
    )


def test_always_lasts_longest_and_navigation_and_lazy_go_first(project: Project) -> None:
    names = ("always", "onDemand", "lazy", "odd")
    files = {f"lib/python/{name}.md": PATTERN.replace("onDemand", name) for name in names}
    found = _catalog(project({**LIBRARY, "lib/python/index.md": files["lib/python/always.md"], **files}))
    always, on_demand, lazy, odd, index = (found[f"lib/python/{name}.md"].priority for name in (*names, "index"))
    assert always < on_demand == odd < index < lazy


def test_two_catalogs_are_told_apart(project: Project) -> None:
    notices: list[Notice] = []
    files = {f"{root}/{name}": "" for root in ("one", "two") for name in ("cross_domain.md", "python/index.md")}
    found = _catalog(project(files), notices)
    assert found["one/python/index.md"].id == "python/index"
    assert found["two/python/index.md"].id == "two/python/index.md"
    assert [(notice.code, notice.path) for notice in notices] == [("duplicate-id", "two/python/index.md")]


def test_a_catalog_inside_a_catalog_is_part_of_it(project: Project) -> None:
    names = ("cross_domain.md", "a/index.md", "a/cross_domain.md", "a/b/index.md")
    found = _catalog(project({f"lib/{name}": "" for name in names}))
    assert {each.id for each in found.values()} == {
        *("lib/cross_domain.md", "a/index", "a/cross_domain", "a/b/index"),
    }


def test_ignored_and_unreadable_files_are_left_out(project: Project) -> None:
    notices: list[Notice] = []
    root = project({**LIBRARY, "lib/python/no.md": "", "lib/python/bin.md": b"a\0", ".gitignore": "no.md\n"})
    assert set(_catalog(root, notices)) == set(LIBRARY)
    assert ("unreadable-file", "lib/python/bin.md") in {(notice.code, notice.path) for notice in notices}


def test_what_was_wrong_with_metadata_is_told(project: Project) -> None:
    notices: list[Notice] = []
    text = "---\nid: a\nbad: [\nestimatedTokens: many\n---\n# A\n"
    found = _catalog(project({**LIBRARY, "lib/python/a.md": text}), notices)
    assert found["lib/python/a.md"].details.values["id"] == "a"
    told = {(notice.code, notice.path) for notice in notices}
    assert told == {(code, "lib/python/a.md") for code in ("frontmatter-yaml", "metadata-type")}


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
def test_a_title_is_the_first_heading_of_the_first_level(project: Project, text: str, title: str) -> None:
    assert _catalog(project({**LIBRARY, "lib/python/a.md": text}))["lib/python/a.md"].title == title


def test_long_metadata_are_read_to_their_closing_line(project: Project) -> None:
    tags = ", ".join(f"tag-{number}" for number in range(3000))
    text = f"---\nid: a\nnote: |\n  a\n  ----\ntags: [{tags}]\nestimatedTokens: 7\n---\n# A\n"
    details = _catalog(project({**LIBRARY, "lib/python/a.md": text}))["lib/python/a.md"].details
    assert (len(details.tags), details.declared_tokens) == (3000, 7)
