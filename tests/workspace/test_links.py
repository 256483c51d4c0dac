"""Where documents lead: triggers by id and by table, links by path."""

from collections.abc import Callable
from pathlib import Path

from ctxtui import Workspace
from ctxtui.workspace.links import RelatedLink, related_links

META = "---\ntitle: {title}\ntype: pattern\nloadingStrategy: onDemand\nestimatedTokens: 9\ncrossDomainTriggers: {triggers}\n---\n"
CROSS = (
    "| Primary Domain | Trigger Condition | Secondary Context to Load | Relevance Score |\n|---|---|---|---|\n"
    "| python/ | SQL queries or ORM usage | `security/guide.md` | 0.9 |\n"
)


def _leads(project: Callable[..., Path], files: dict[str, str], path: str) -> list[RelatedLink]:
    workspace = Workspace.open(project(files))
    return related_links(workspace, workspace.by_path[path])


def _catalog(triggers: str, body: str = "# A\n") -> dict[str, str]:
    return {
        "lib/cross_domain.md": CROSS,
        "lib/python/index.md": "# Python\n",
        "lib/python/a.md": META.format(title="A", triggers=triggers) + body,
        "lib/security/guide.md": META.format(title="Guide", triggers="[]") + "# Guide\n## Rules\n",
    }


def test_a_trigger_names_a_file_or_a_row_of_the_table(project: Callable[..., Path]) -> None:
    found = _leads(project, _catalog("[security/guide, sql_queries, moon_phase]"), "lib/python/a.md")
    assert [(lead.label, lead.target) for lead in found] == [
        ("security/guide", "security/guide"),
        ("moon_phase", None),
    ]
    found = _leads(project, _catalog("[sql_queries]"), "lib/python/a.md")
    assert (found[0].label, found[0].target) == ("sql_queries", "security/guide")
    assert "0.9" in found[0].reason


def test_links_lead_to_documents_and_their_sections(project: Callable[..., Path]) -> None:
    body = "[g](../security/guide.md#rules) [n](none.md) [o](../../../out.md) [x](../../x.bin) [self](a.md)\n"
    files = {**_catalog("[]", body), "x.bin": "\0"}
    found = _leads(project, files, "lib/python/a.md")
    assert [(lead.label, lead.target) for lead in found] == [
        ("g", "security/guide#rules"),
        ("n", None),
        ("o", None),
        ("x", None),
    ]
    assert "does not exist" in found[1].reason
    assert "out of the project" in found[2].reason
    assert "not a context file" in found[3].reason


def test_a_folder_means_its_index_and_an_unknown_anchor_the_file(project: Callable[..., Path]) -> None:
    files = {"docs/index.md": "# Docs\n", "a.md": "[d](docs) [e](docs/index.md#none)\n"}
    assert [lead.target for lead in _leads(project, files, "a.md")] == ["docs/index.md"]
