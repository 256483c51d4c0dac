"""Methods 4, 6 and 7: what is loaded always, by detection and by triggers, with reasons and budget."""

from pathlib import Path

from ctxtui.catalog import ContextFile, DetectionResult, MarkdownFileContextProvider, Match
from tests.cases import cases
from tests.catalog.conftest import Doc, Made, Make


def ids(files: list[ContextFile]) -> list[str]:
    return [file.id for file in files]


def listed(*entries: tuple[str, str]) -> str:
    return "indexedFiles:\n" + "".join(f"  - path: {name}.md\n    loadingStrategy: {how}\n" for name, how in entries)


def test_always_files_are_marked_in_the_file_or_in_the_index(make: Make, doc: Doc) -> None:
    index = listed(("b", "always"), ("c", "lazy"))
    made = make(
        {
            "x/index.md": doc("x/index", kind="index", strategy="always", more=index),
            "x/a.md": doc("x/a", kind="always", strategy="always", body="# A\n"),
            "x/b.md": doc("x/b", kind="detection"),
            "x/c.md": doc("x/c"),
            "x/nav.md": doc("x/nav", kind="index", strategy="always"),
        }
    )
    files = made.provider.get_always_load_files("x")
    assert [(file.id, file.reason) for file in files] == [
        ("x/a", "always, as the file itself says"),
        ("x/b", "always, as x/index.md says"),
    ]
    assert (files[0].content, files[0].title, files[0].metadata["type"]) == ("# A\n", "A title", "always")
    assert made.notices == []


def test_an_always_file_that_is_gone_is_a_notice_as_is_an_unknown_domain(make: Make, doc: Doc) -> None:
    made = make({"x/index.md": doc("x/index", more=listed(("gone", "always"))), "x/a.md": doc("x/a")})
    assert made.provider.get_always_load_files("x") == []
    assert made.provider.get_always_load_files("y") == []
    assert made.codes == ["missing-target", "unknown-domain"]


@cases(
    ("domain", "expected"),
    [
        ("python", ["python/common_issues", "python/context_detection"]),
        ("dotnet", ["dotnet/common_issues"]),
        ("angular", ["angular/common_issues"]),
        ("schema", ["schema/common_patterns"]),
        ("git", []),
        ("security", []),
    ],
)
def test_the_seeds_always_files(forge: Path, domain: str, expected: list[str]) -> None:
    assert ids(MarkdownFileContextProvider(forge).get_always_load_files(domain)) == expected


def test_without_metadata_only_detection_files_are_always(footers: Path) -> None:
    assert ids(MarkdownFileContextProvider(footers).get_always_load_files("python")) == ["python/context_detection"]


def many(doc: Doc, count: int, always: int = 0) -> dict[str, str]:
    files = {f"x/f{number}.md": doc(f"x/f{number}") for number in range(count)}
    return files | {f"x/a{number}.md": doc(f"x/a{number}", strategy="always") for number in range(always)}


def test_conditional_files_are_the_recommended_ones_with_the_reason(make: Make, doc: Doc) -> None:
    made = make(many(doc, 3) | {"y/z.md": doc("y/z")})
    match = Match("from flask import Flask", "from flask import Flask", "flask", "Web", "framework", ("x/f2",))
    detection = DetectionResult("flask", recommended_files=("x/f1", "x/f2", "y/z", "x/gone"), explanation=(match,))
    files = made.provider.get_conditional_context("x", detection)
    assert ids(files) == ["x/f1", "x/f2", "y/z"]
    assert files[1].reason == "flask: from flask import Flask"
    assert made.codes == ["missing-target"]


def test_conditional_files_fit_beside_the_always_files(make: Make, doc: Doc) -> None:
    """The seed's error table: token budget exceeded."""
    made = make(many(doc, 8, always=2))
    detection = DetectionResult("f", recommended_files=("x/a0", *(f"x/f{number}" for number in range(8))))
    assert ids(made.provider.get_conditional_context("x", detection)) == ["x/a0", "x/f0", "x/f1", "x/f2", "x/f3"]
    assert made.codes == ["over-budget"]
    assert "x/f4, x/f5, x/f6, x/f7" in made.notices[0].message


def test_files_of_the_framework_come_before_those_of_libraries(make: Make, doc: Doc) -> None:
    made = make(many(doc, 4), max_files=2)
    library = Match("i", "i", "lib", "s", "library", ("x/f0", "x/f1"))
    framework = Match("i", "i", "flask", "s", "framework", ("x/f2",))
    recommended = ("x/f0", "x/f1", "x/f2")
    detection = DetectionResult("flask", recommended_files=recommended, explanation=(library, framework))
    assert ids(made.provider.get_conditional_context("x", detection)) == ["x/f2", "x/f0"]


def test_no_detection_and_unknown_domains_load_nothing(make: Make, doc: Doc) -> None:
    made = make(many(doc, 1))
    assert made.provider.get_conditional_context("x", DetectionResult()) == []
    assert made.codes == []
    assert made.provider.get_conditional_context("y", DetectionResult(recommended_files=("x/f0",))) == []
    assert made.codes == ["unknown-domain"]


CROSS = """# Cross

| Primary Domain | Trigger Condition | Secondary Context to Load | Relevance Score | Token Impact |
|---|---|---|---|---|
| x/ | Auth, password, or input handling code detected | `security/guide.md` | 0.9 | ~2 |
| x/ | SQL queries, ORM usage, or database models detected | `security/guide` | 0.8 | ~2 |
| x/ | Schema/migration files in diff | `schema/common.md` | 0.6 | ~3 |
| y/ | Auth code | `y/own.md` | 0.9 | |
| Any code review | Performance-critical code flagged | `{domain}/performance_patterns.md` | 0.7 | ~3 |
| Any code review | Infrastructure or deployment files | `azure/index.md` (for Azure projects) | 0.3 | ~2 |
| x, z/ | Forms | [guide](../security/guide.md)<br/>`schema/common.md` | high | |
"""


def crossing(make: Make, doc: Doc, table: str = CROSS, max_files: int = 6) -> Made:
    names = ("x/a", "y/own", "security/guide", "schema/common", "azure/index", "angular/performance_patterns")
    files = {f"{name}.md": doc(name) for name in names} | {"cross_domain.md": table}
    return make(files, max_files=max_files)


@cases(
    ("triggers", "expected"),
    [
        (["auth_code"], ["security/guide"]),
        *(([trigger], ["security/guide"]) for trigger in ("sql_queries", "user_input", "authentication", "query")),
        (["sql_queries", "auth_code"], ["security/guide"]),
        (["DatabaseModels"], ["security/guide"]),
        (["migration-files", "auth"], ["security/guide", "schema/common"]),
        (["forms"], ["security/guide", "schema/common"]),
    ],
)
def test_triggers_match_whole_words_of_the_condition(
    make: Make, doc: Doc, triggers: list[str], expected: list[str]
) -> None:
    made = crossing(make, doc)
    assert ids(made.provider.get_cross_domain_context("x", triggers)) == expected
    assert made.notices == []


@cases("trigger", ["orm_", "rm", "code", "files in diff", "", "rate", "a b c auth", "auth_or_so_and_more"])
def test_other_triggers_match_nothing_and_are_told(make: Make, doc: Doc, trigger: str) -> None:
    made = crossing(make, doc, CROSS.replace("ORM usage, or ", ""))
    assert made.provider.get_cross_domain_context("x", [trigger]) == []
    assert made.codes == ["trigger-unmatched"]


def test_rows_count_for_their_domain_and_the_best_score_is_the_reason(make: Make, doc: Doc) -> None:
    made = crossing(make, doc)
    assert ids(made.provider.get_cross_domain_context("y", ["auth", "sql_queries"])) == ["y/own"]
    assert made.codes == ["trigger-unmatched"]
    (file,) = made.provider.get_cross_domain_context("x", ["sql_queries", "auth_code"])
    assert file.reason == "auth_code: Auth, password, or input handling code detected (0.9)"
    # Below half, a row is a reference only.
    assert made.provider.get_cross_domain_context("x", ["infrastructure"]) == []
    assert made.codes[1:] == ["reference-only"]


def test_the_domains_own_file_is_filled_in_and_a_missing_one_told(make: Make, doc: Doc) -> None:
    made = crossing(make, doc)
    assert ids(made.provider.get_cross_domain_context("angular", ["performance"])) == ["angular/performance_patterns"]
    assert made.notices == []
    assert made.provider.get_cross_domain_context("x", ["performance"]) == []
    (notice,) = made.notices
    assert (notice.code, notice.path, notice.line) == ("missing-target", "cross_domain.md", 9)
    assert "x/performance_patterns.md" in notice.message


def test_the_order_is_security_schema_performance_infrastructure(make: Make, doc: Doc) -> None:
    names = ["zeta/other", "azure/deploy", "x/performance_patterns", "schema/common", "security/guide"]
    rows = "".join(f"| Any | every | `{name}` | 0.9 |\n" for name in names)
    table = f"| Primary Domain | Trigger Condition | Secondary Context to Load | Score |\n|---|---|---|---|\n{rows}"
    made = make({f"{name}.md": doc(name) for name in names} | {"cross_domain.md": table})
    assert ids(made.provider.get_cross_domain_context("x", ["every"])) == names[::-1]


def test_the_best_may_exceed_the_budget_and_the_middle_may_not(make: Make, doc: Doc) -> None:
    made = crossing(make, doc, max_files=0)
    assert ids(made.provider.get_cross_domain_context("x", ["auth", "migration"])) == ["security/guide"]
    assert made.codes == ["beyond-budget", "over-budget"]


@cases("score", ["0.9", "90%", "90", "0,9", "**0.8**", "", "?", "low"])
def test_scores_are_read_in_many_spellings(make: Make, doc: Doc, score: str) -> None:
    row = f"| `security/guide.md` | auth | any | {score} |\n"
    made = crossing(make, doc, f"| Load | When | Domain | Relevance |\n|---|---|---|---|\n{row}")
    loaded = [] if score == "low" else ["security/guide"]
    assert ids(made.provider.get_cross_domain_context("x", ["auth"])) == loaded


def test_a_table_without_scores_is_followed(footers: Path) -> None:
    found = MarkdownFileContextProvider(footers).get_cross_domain_context("python", ["auth_code", "sql_queries"])
    assert ids(found) == ["security/security_guidelines"]


def test_no_table_no_triggers_and_no_domain(make: Make, doc: Doc) -> None:
    made = make({"x/a.md": doc("x/a")})
    assert made.provider.get_cross_domain_context("x", []) == []
    assert made.codes == []
    assert made.provider.get_cross_domain_context("x", ["auth"]) == []
    assert made.provider.get_cross_domain_context("nope", ["auth"]) == []
    assert made.codes == ["no-cross-domain", "unknown-domain"]
