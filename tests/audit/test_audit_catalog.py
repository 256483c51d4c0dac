"""Rules about domain catalogs: identities, indexes, cross-domain targets."""

from tests.audit.auditing_helpers import found, one
from tests.cases import cases
from tests.conftest import Project

CROSS = "# Cross-domain\n\n| Primary Domain | Trigger Condition | Secondary Context to Load | Relevance |\n|---|---|---|---|\n"


def head(id_: str, domain: str = "python", kind: str = "pattern", strategy: str = "onDemand", more: str = "") -> str:
    return (
        f"---\nid: {id_}\ndomain: {domain}\ntitle: T\ntype: {kind}\nestimatedTokens: 3\n"
        f"loadingStrategy: {strategy}\n{more}---\n# T\n"
    )


def index(*entries: str, domain: str = "python", body: str = "") -> str:
    listed = "".join(f"  - {{{entry}}}\n" for entry in entries)
    return head(f"{domain}/index", domain, "index", "always", f"indexedFiles:\n{listed}" if listed else "") + body


def catalog(**files: str) -> dict[str, str]:
    """A sound catalog with a file in each of two domains, and what the test wants otherwise."""
    sound = {
        "cross_domain.md": CROSS + "| python | SQL in diff | `security/rules` | 0.9 |\n",
        "python/index.md": index("path: api.md, type: pattern, loadingStrategy: onDemand"),
        "python/api.md": head("python/api"),
        "security/index.md": index("path: rules.md", domain="security"),
        "security/rules.md": head("security/rules", "security"),
    }
    given = {name.replace("__", "/") + ".md": text for name, text in files.items()}
    return {f"lib/{name}": text for name, text in (sound | given).items()}


@cases("rule", ["wrong-identity", "wrong-index", "missing-target", "missing-section"])
def test_a_sound_catalog_has_no_findings(project: Project, rule: str) -> None:
    assert found(project(catalog()), rule) == []


@cases(
    ("claims", "line", "told"),
    [
        (head("python/rest_api"), 2, "claims id python/rest_api; its path makes it python/api"),
        (head("python/api", "ruby"), 3, "claims domain ruby; its path makes it python/api"),
    ],
)
def test_a_file_that_claims_another_identity_is_told(project: Project, claims: str, line: int, told: str) -> None:
    finding = one(project(catalog(python__api=claims)), "wrong-identity")
    assert (finding.path, finding.line, finding.severity) == ("lib/python/api.md", line, "warning")
    assert told in finding.message


def test_a_wrong_domain_without_an_id_is_the_subject(project: Project) -> None:
    finding = one(project(catalog(python__api="---\ndomain: ruby\n---\n# A\n")), "wrong-identity")
    assert (finding.message, finding.subject) == ("claims domain ruby; its path makes it python/api", "ruby")


def test_an_index_that_lists_a_missing_file_is_told(project: Project) -> None:
    text = index("path: api.md", "path: gone-by.md", "path: gone.md, type: pattern")
    finding = one(project(catalog(python__index=text, **{"python__gone-by": head("python/gone-by")})), "wrong-index")
    assert (finding.path, finding.subject) == ("lib/python/index.md", "gone")
    assert finding.line == text[: text.index("gone.md")].count("\n") + 1


@cases("entry", ["path: python/api.md", "id: python/api", "path: ./api.md", "path: api"])
def test_an_index_may_name_files_in_several_ways(project: Project, entry: str) -> None:
    assert found(project(catalog(python__index=index(entry))), "wrong-index") == []
    named = index(entry, body="\nSee `extra.md` for the rest.\n")
    assert found(project(catalog(python__index=named, python__extra=head("python/extra"))), "wrong-index") == []


def test_a_file_that_its_index_leaves_out_is_told_with_its_tokens(project: Project) -> None:
    others = {"python__index": index("path: api.md", body="The extras are extra-large.\n")}
    finding = one(project(catalog(python__extra=head("python/extra"), **others)), "wrong-index")
    assert finding.message == "leaves out extra.md, which is in the same folder"
    assert finding.tokens > 0


def test_an_index_that_disagrees_with_a_file_is_told(project: Project) -> None:
    text = index("path: api.md, type: reference, loadingStrategy: always")
    finding = one(project(catalog(python__index=text)), "wrong-index")
    assert "type reference, the file pattern" in finding.message
    assert "loadingStrategy always, the file onDemand" in finding.message


def test_a_table_of_the_index_that_names_a_missing_file_is_told(project: Project) -> None:
    body = "\n## Hints\n\n| If you see | Load files |\n|---|---|\n| `import x` | `api.md`, `gone.md` |\n"
    finding = one(project(catalog(python__index=index("path: api.md", body=body))), "wrong-index")
    assert finding.subject == "gone.md"
    assert finding.line is not None


def test_a_cross_domain_row_that_names_a_missing_file_is_told(project: Project) -> None:
    table = f"{CROSS}| python | SQL | `security/rules` | 0.9 |\n| python | Slow code | `performance/tuning` | 0.7 |\n"
    finding = one(project(catalog(cross_domain=table)), "missing-target")
    assert (finding.path, finding.line, finding.subject) == ("lib/cross_domain.md", 6, "performance/tuning")
    # One for any domain may name a file of each.
    table = f"{CROSS}| Any | SQL | `{{domain}}/api` | 0.9 |\n"
    assert found(project(catalog(cross_domain=table)), "missing-target") == []


def test_a_trigger_that_is_an_id_must_exist(project: Project) -> None:
    more = 'crossDomainTriggers: ["security/rules", "security/gone", "SQL in the diff"]\n'
    finding = one(project(catalog(python__api=head("python/api", more=more))), "missing-target")
    assert (finding.path, finding.subject, finding.line) == ("lib/python/api.md", "security/gone", 8)
