"""Whatever the files hold: no exception, text that is a slice of the file, and the same answer each time."""

from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxtui.catalog import DetectionSignals, MarkdownFileContextProvider, run_protocol, to_json
from ctxtui.core.text.markdown.scan import match_key, scan
from tests.conftest import Project

PIECES = (
    *("---\n", "id: x/a\n", "title: T\n", "type: index\n", "estimatedTokens: 5\n", "loadingStrategy: always\n"),
    *("tags: [a, b]\n", "sections:\n  - name: S\n", "indexedFiles:\n  - path: a.md\n", "## tags: [q]\n"),
    *("# H\n", "## S\n", "### `a.md`\n", "\n", "**Purpose**: p\n", "1. Load `a.md`\n", "```\n"),
    *("| A | Load |\n", "|---|---|\n", "| `import x` | `a.md` |\n"),
    "| Framework | Key Imports | Pattern Files to Load |\n",
    "| **F** | `from f import g` + `h` | `a.md`, `gone.md` |\n",
    "| Primary Domain | Trigger Condition | Secondary Context to Load | Relevance Score |\n",
    *("|---|---|---|---|\n", "| x/ | auth code | `{domain}/a.md` | 0.9 |\n", "- **F**: `f` → `a.md`\n"),
    *("**Version**: 1.0.0\n", "## Step 1: A\n", "4-6 files\n", "\r\n", "\r", "\ufeff", "\0", "|", "`", "["),
    *("\u202e", "é", ": ", "- [ ] x\n", "<!--\n", "&a *a\n", "\t"),
)
TEXT = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
BYTES = st.one_of(TEXT.map(lambda text: text.encode("utf-8", "replace")), st.binary(max_size=200))
NAMES = ("x/index.md", "x/context_detection.md", "x/a.md", "cross_domain.md", "loading_protocol.md", "index.md")
SIGNALS = DetectionSignals(
    imports=["from f import g", "import x", "", "\0"],
    file_patterns=["a/b.py", "", "/", "\\"],
    code_patterns=["h()", "[", "("],
    config_files=["pyproject.toml"],
)


@settings(max_examples=40)
@given(st.fixed_dictionaries(dict.fromkeys(NAMES, BYTES)), st.text(max_size=20), st.lists(TEXT, max_size=3))
def test_no_content_makes_a_method_raise(
    project: Project, files: dict[str, bytes], query: str, names: list[str]
) -> None:
    root = project(files)

    def ask() -> Any:
        provider = MarkdownFileContextProvider(root, on_notice=notices.append)
        entries = provider.get_catalog()
        references = [provider.get_reference(entry.domain, entry.path[2:-3]) for entry in entries]
        found = [reference for reference in references if reference]
        asked = [*names, "S", "s-1"]
        return to_json(
            [
                entries,
                found,
                provider.get_domain_index("x"),
                provider.get_loading_protocol(),
                provider.get_always_load_files("x"),
                provider.detect_project_type("x", SIGNALS),
                provider.get_cross_domain_context("x", [*names, "auth"]),
                provider.search(query),
                [provider.materialize(reference) for reference in found],
                [provider.materialize_sections(reference, asked) for reference in found],
                run_protocol(provider, "x", SIGNALS, ["auth"]),
            ]
        )

    notices: list[object] = []
    first = ask()
    told = list(notices)
    notices.clear()
    assert ask() == first
    assert notices == told


@given(body=TEXT)
def test_sections_are_slices_of_the_file(project: Project, body: str) -> None:
    root = project({"x/a.md": body})
    provider = MarkdownFileContextProvider(root, on_notice=lambda _: None)
    reference = provider.get_reference("x", "a")
    if reference is None:
        return
    whole = provider.materialize(reference)
    assert (root / "x" / "a.md").read_bytes().decode("utf-8", "replace").endswith(whole.content)
    headings = {match_key(heading.name) for heading in scan(whole.content).headings}
    # Broken metadata may declare anything.
    for section in (each for each in reference.sections if match_key(each.name) in headings):
        partial = provider.materialize_sections(reference, [section.name])
        assert len(partial.sections) == 1
        assert partial.sections[0].content in whole.content
        assert partial.total_tokens >= 0


@given(domain=TEXT, file=TEXT, triggers=st.lists(TEXT, max_size=3))
def test_no_argument_makes_a_method_raise(sample: Path, domain: str, file: str, triggers: list[str]) -> None:
    provider = MarkdownFileContextProvider(sample / "context_library", on_notice=lambda _: None)
    signals = DetectionSignals(triggers, triggers, triggers, triggers)
    provider.get_catalog(domain)
    provider.get_reference(domain, file)
    provider.get_reference("python", file)
    provider.get_domain_index(domain)
    provider.get_cross_domain_context("python", triggers)
    provider.detect_project_type("python", signals)
    provider.search(file, domain)
    run_protocol(provider, domain, signals, triggers)
