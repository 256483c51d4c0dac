"""Method 2: files with purposes, workflows and hints from many layouts of an index."""

from pathlib import Path

import pytest

from ctxtui.catalog import DetectionHint, DomainIndex, FileEntry, MarkdownFileContextProvider, WorkflowEntry
from tests.cases import cases
from tests.catalog.conftest import Doc, Made, Make

LISTED = (
    "indexedFiles:\n  - id: x/b\n    path: b.md\n    type: detection\n    loadingStrategy: always\n"
    "  - id: x/a\n    path: a.md\n    type: reference\n    loadingStrategy: onDemand\n"
)


def index_of(make: Make, doc: Doc, body: str, more: str = "", **files: str) -> tuple[DomainIndex, Made]:
    found = {f"x/{name}.md": doc(f"x/{name}", title=f"Title {name}") for name in ("a", "b")}
    found["x/index.md"] = doc("x/index", kind="index", strategy="always", more=more, body=body)
    made = make(found | files)
    return made.provider.get_domain_index("x"), made


def purposes(index: DomainIndex) -> dict[str, str]:
    return {entry.id: entry.purpose for entry in index.files}


def test_files_are_those_the_index_lists_in_its_order(make: Make, doc: Doc) -> None:
    index, made = index_of(make, doc, "# X\n", LISTED)
    assert index.files == (
        FileEntry("x/b", "x/b.md", "detection", "always", "Title b"),
        FileEntry("x/a", "x/a.md", "reference", "onDemand", "Title a"),
    )
    assert (index, made.notices) == (DomainIndex("x", index.files), [])


def test_files_that_the_index_forgets_are_added_and_ghosts_left_out(make: Make, doc: Doc) -> None:
    ghost = "indexedFiles:\n  - path: ghost.md\n  - path: b.md\n  - 7\n  - {}\n"
    index, made = index_of(make, doc, "# X\n", ghost)
    assert [(entry.id, entry.type) for entry in index.files] == [("x/b", "pattern"), ("x/a", "pattern")]
    assert [(notice.code, notice.path) for notice in made.notices] == [("missing-target", "x/index.md")]


@cases("listed", ["indexedFiles: all\n", "indexedFiles: 3\n", "indexedFiles: []\n", "indexedFiles:\n"])
def test_a_list_that_is_none_lists_nothing(make: Make, doc: Doc, listed: str) -> None:
    index, _ = index_of(make, doc, "# X\n", listed)
    assert [entry.id for entry in index.files] == ["x/a", "x/b"]


@cases(
    "body",
    [
        "### `a.md`\n\n**Purpose**: the purpose\n\n**Use when**:\n- x\n",
        "#### **a.md**\n**Load When**: sometimes\n**Contains**:\n- y\n**Purpose**: the purpose\n",
        "### 📁 **a.md**\n**When to use**: the purpose\n",
        "### 1. `a.md`\n\n**When to load**: the purpose\n",
        "### `a.md`\n\n- **Purpose**: the purpose\n- **Use when**:\n  - z\n",
        "### [`a.md`](a.md)\n\n**Purpose:** the purpose\n",
        "### `a.md`\n\nPurpose: the purpose\n",
        "| File | Use For | Key Topics |\n|---|---|---|\n| `a.md` | the purpose | k |\n",
        "| File | Used By | Key Topics |\n|---|---|---|\n| [`a.md`](a.md) | `/x` | the purpose |\n",
        "```\nx/\n├── index.md (this file)  - Navigation\n└── a.md        - the purpose\n```\n",
        "```\n├── a.md   # the purpose\n```\n",
        "### `a.md`\n\nthe purpose\n\n- more\n",
    ],
)
def test_purposes_are_found_in_every_layout(make: Make, doc: Doc, body: str) -> None:
    index, _ = index_of(make, doc, f"# X\n\n## Files\n\n{body}")
    assert purposes(index) == {"x/a": "the purpose", "x/b": "Title b"}


def test_the_catalogs_own_index_tells_what_the_domains_does_not(make: Make, doc: Doc) -> None:
    top = (
        "# Top\n\n### Y Context (`y/`)\n\n| File | Use For |\n|---|---|\n| `a.md` | wrong |\n\n"
        "### X Context (`x/`)\n\n| File | Use For |\n|---|---|\n| `a.md` | from the top |\n"
    )
    index, _ = index_of(make, doc, "# X\n\n### `b.md`\n**Purpose**: own\n", **{"index.md": top})
    assert purposes(index) == {"x/a": "from the top", "x/b": "own"}


def test_workflows_are_numbered_lists_that_name_files_also_in_fences(make: Make, doc: Doc) -> None:
    body = (
        "# X\n\n## Usage\n\n### Review\n\n```markdown\n1. Load a.md\n   → first\n\n"
        "2. Load `../y/c.md` and z/d.md\n```\n\n"
        "### For `/analyze`\n1. Load `b.md` (always)\n2. Ask\n\n## Best Practices\n\n1. Read `a.md`\n\n"
        "## Plain\n\n1. one\n2. two\n"
    )
    index, made = index_of(make, doc, body, **{"y/c.md": "# C\n"})
    assert index.workflows == (
        WorkflowEntry("Review", ("x/a", "y/c"), ("Load a.md → first", "Load ../y/c.md and z/d.md")),
        WorkflowEntry("For /analyze", ("x/b",), ("Load b.md (always)", "Ask")),
    )
    assert made.notices == []


def test_hints_are_tables_with_files_to_load(make: Make, doc: Doc) -> None:
    body = (
        "# X\n\n| If you see... | Load file... |\n|---|---|\n| `import pandas`, `a\\|b` | `a.md` |\n"
        "| `x|safe` | `b.md`, `gone.md` |\n\n"
        "| Code Type | Always Load | Conditionally Load | Rarely Load |\n|---|---|---|---|\n"
        "| **Controllers/API** | `a.md` | `../../y/c.md` (if y) | `b.md` |\n| **Group** |\n| Rest | - | - | - |\n\n"
        "| Vulnerability | File | Section |\n|---|---|---|\n| SQL | `b.md` | s |\n\n"
        "| Name | Size |\n|---|---|\n| `a.md` | 3 |\n\n```\n| T | Load |\n|---|---|\n| no | `a.md` |\n```\n"
    )
    index, made = index_of(make, doc, body, **{"y/c.md": "# C\n"})
    assert index.detection_hints == (
        DetectionHint("import pandas, a|b", ("x/a",)),
        DetectionHint("x|safe", ("x/b",)),
        DetectionHint("Controllers/API", ("x/a", "y/c")),
        DetectionHint("SQL", ("x/b",)),
    )
    assert [(notice.code, notice.line) for notice in made.notices] == [("missing-target", 14)]


def test_phrases_for_several_files_are_understood(make: Make, doc: Doc) -> None:
    table = "# X\n\n| Type | Load File |\n|---|---|\n| Login | Both |\n"
    table += "| T | All testing context files |\n| A | `a.md` |\n"
    index, _ = index_of(make, doc, table)
    assert index.detection_hints[0] == DetectionHint("Login", ("x/a", "x/b"))
    index, _ = index_of(make, doc, table, **{"x/unit_testing.md": "# U\n", "x/test_data.md": "# T\n"})
    assert [hint.files for hint in index.detection_hints] == [("x/test_data", "x/unit_testing"), ("x/a",)]


def test_a_bare_name_means_the_own_domain_first_then_any(make: Make, doc: Doc) -> None:
    table = "# X\n\n| T | Load |\n|---|---|\n| 1 | `a.md` |\n| 2 | `c.md` |\n| 3 | `../index.md` `../y/index.md` |\n"
    index, _ = index_of(make, doc, table, **{"y/a.md": "", "y/c.md": "", "y/index.md": ""})
    assert [hint.files for hint in index.detection_hints] == [("x/a",), ("y/c",), ("y/index",)]


def test_an_unknown_domain_has_an_empty_index_and_one_without_an_index_its_files(make: Make, doc: Doc) -> None:
    """The seed's error table: domain not found."""
    made = make({"x/a.md": doc("x/a")})
    assert made.provider.get_domain_index("kubernetes") == DomainIndex("kubernetes", (), (), ())
    assert purposes(made.provider.get_domain_index("x")) == {"x/a": "A title"}
    assert made.codes == ["unknown-domain", "no-domain-index"]


@pytest.mark.parametrize(
    ("domain", "files", "workflows", "hints"),
    [
        *(("angular", 16, 7, 10), ("azure", 10, 2, 10), ("commands", 7, 7, 0), ("dotnet", 11, 5, 11)),
        *(("engineering", 5, 0, 5), ("git", 2, 1, 3), ("python", 13, 4, 26), ("schema", 3, 3, 0)),
        ("security", 2, 2, 19),
    ],
)
def test_nine_real_layouts(forge: Path, domain: str, files: int, workflows: int, hints: int) -> None:
    index = MarkdownFileContextProvider(forge).get_domain_index(domain)
    assert (len(index.files), len(index.workflows), len(index.detection_hints)) == (files, workflows, hints)
    assert all(entry.purpose for entry in index.files)


@cases(
    ("id_", "purpose"),
    [
        ("python/fastapi_patterns", "FastAPI framework best practices and patterns"),
        ("angular/testing_utilities", "TestBed, mocks, spies, async utilities"),
    ],
)
def test_purposes_of_a_real_index(forge: Path, id_: str, purpose: str) -> None:
    assert purposes(MarkdownFileContextProvider(forge).get_domain_index(id_.partition("/")[0]))[id_] == purpose
