"""The five steps in one call: files, reasons, and who owns the budget."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ctxtui.catalog import (
    CachedContextProvider,
    DetectionResult,
    DetectionSignals,
    ExecutionContext,
    LeftOut,
    MarkdownFileContextProvider,
    collect_signals,
    derive_triggers,
    run_protocol,
)
from tests.cases import cases
from tests.catalog.conftest import Doc, Made, Make

SEED = DetectionSignals(
    imports=["from fastapi import FastAPI", "from sqlalchemy import Column"],
    file_patterns=["app/main.py", "app/models/user.py"],
    config_files=["pyproject.toml"],
)


CORE = ["python/common_issues", "python/context_detection", "python/fastapi_patterns", "security/security_guidelines"]


@pytest.mark.parametrize("wrap", [lambda provider: provider, lambda p: CachedContextProvider(p, ExecutionContext())])
def test_the_seeds_workflow_example(
    forge: Path, wrap: Callable[[MarkdownFileContextProvider], MarkdownFileContextProvider]
) -> None:
    result = run_protocol(wrap(MarkdownFileContextProvider(forge)), "python", SEED, ["sql_queries", "auth_code"])
    assert [(each.id, each.step) for each in result.files] == list(zip(CORE, (2, 2, 4, 5), strict=True))
    assert result.left_out == ()
    assert (result.detection.framework, result.detection.libraries) == ("fastapi", ("sqlalchemy", "pydantic"))
    assert [step.number for step in result.steps] == [1, 2, 3, 4, 5]
    assert all(each.reason for each in result.steps)
    assert all(each.reason for each in result.files)
    assert result.tokens == sum(each.file.estimated_tokens for each in result.files)


def test_a_real_project_gives_the_same(forge: Path, sample: Path) -> None:
    signals = collect_signals(sample)
    result = run_protocol(MarkdownFileContextProvider(forge), "python", signals, derive_triggers(signals))
    assert [each.id for each in result.files] == CORE


DETECTION = """# D

| Framework | Key Imports | Load |
|---|---|---|
| Flask | `import flask` | `web1.md`, `web2.md` |

| Library | Key Imports | Load |
|---|---|---|
| Redis | `import redis` | `lib1.md`, `lib2.md` |
"""
CROSS = """| Primary Domain | Trigger Condition | Secondary Context to Load | Relevance Score |
|---|---|---|---|
| x/ | auth | `security/guide.md` | 0.9 |
| x/ | schema | `schema/common.md` | 0.6 |
| x/ | infrastructure | `azure/index.md` | 0.3 |
| x/ | legacy | `x/gone.md` | 0.9 |
| x/ | web | `x/lib2.md` | 0.9 |
"""
SIGNALS = DetectionSignals(imports=["import flask", "import redis"])


def catalog(make: Make, doc: Doc, always: int = 1, max_files: int = 6) -> Made:
    files = {f"{name}.md": doc(name) for name in ("x/web1", "x/web2", "x/lib1", "x/lib2")}
    files |= {f"x/always{number}.md": doc(f"x/always{number}", strategy="always") for number in range(always)}
    files |= {f"{name}.md": doc(name) for name in ("security/guide", "schema/common", "azure/index")}
    files["x/context_detection.md"] = doc("x/context_detection", kind="detection", body=DETECTION)
    files |= {"x/index.md": "# X\n", "cross_domain.md": CROSS, "loading_protocol.md": "## Step 1: Begin\n"}
    return make(files, max_files=max_files)


def loaded(made: Made, *triggers: str, **more: int) -> tuple[list[str], list[LeftOut]]:
    result = run_protocol(made.provider, "x", SIGNALS, triggers, **more)
    return [each.id for each in result.files], list(result.left_out)


def test_everything_fits(make: Make, doc: Doc) -> None:
    made = catalog(make, doc)
    assert loaded(made, "schema") == (["x/always0", "x/web1", "x/web2", "x/lib1", "x/lib2", "schema/common"], [])
    assert made.notices == []


def test_overflow_drops_the_lowest_priority_and_names_it(make: Make, doc: Doc) -> None:
    made = catalog(make, doc, always=2, max_files=4)
    files, left = loaded(made, "schema")
    assert files == ["x/always0", "x/always1", "x/web1", "x/web2"]
    lost = [("x/lib1", 4), ("x/lib2", 4), ("schema/common", 5)]
    assert left == [LeftOut(id_, step, "no room within 4 files") for id_, step in lost]
    assert made.codes == ["over-budget"]
    assert all(id_ in made.notices[0].message for id_, _ in lost)


def test_the_best_relevance_may_exceed_the_budget_with_a_notice(make: Make, doc: Doc) -> None:
    made = catalog(make, doc, max_files=2)
    files, left = loaded(made, "auth", "schema", "infrastructure")
    assert files == ["x/always0", "x/web1", "security/guide"]
    assert [(each.id, each.step) for each in left] == [
        *(("x/web2", 4), ("x/lib1", 4), ("x/lib2", 4), ("schema/common", 5), ("azure/index", 5))
    ]
    assert left[-1].reason == "a reference only: relevance 0.3 is below 0.5"
    assert made.codes == ["beyond-budget", "over-budget", "reference-only"]


def test_a_file_wanted_twice_is_loaded_once_by_its_best_claim(make: Make, doc: Doc) -> None:
    files, left = loaded(catalog(make, doc), "web")
    assert files.count("x/lib2") == 1
    assert left == []
    result = run_protocol(catalog(make, doc, max_files=1).provider, "x", SIGNALS, ["web"])
    assert [(each.id, each.step) for each in result.files] == [("x/always0", 2), ("x/lib2", 5)]
    assert "x/lib2" not in [each.id for each in result.left_out]


@cases("limit", [0, 1, 3, 6, 50])
def test_the_budget_can_be_given(make: Make, doc: Doc, limit: int) -> None:
    files, left = loaded(catalog(make, doc), max_files=limit)
    assert len(files) == min(limit, 5)
    assert len(files) + len(left) == 5


def test_a_file_in_several_rows_of_the_index_counts_where_it_is_first(make: Make, doc: Doc) -> None:
    rows = "| Project File | Load |\n|---|---|\n| `a.py` | `alpha.md`, `beta.md` |\n| `setup.py` | `alpha.md` |\n"
    files = {name: doc(name.removesuffix(".md")) for name in ("x/alpha.md", "x/beta.md")}
    made = make(files | {"x/index.md": f"# X\n\n## Detection\n\n{rows}"})
    result = run_protocol(made.provider, "x", DetectionSignals(file_patterns=["a.py", "setup.py"]), max_files=1)
    assert [(each.id, each.reason) for each in result.files] == [("x/alpha", "a.py: a.py")]
    assert [each.id for each in result.left_out] == ["x/beta"]


def test_steps_name_what_they_loaded_and_left_out_and_why(make: Make, doc: Doc) -> None:
    result = run_protocol(catalog(make, doc, max_files=3).provider, "x", SIGNALS, ["auth"])
    titles = ["Begin", "Load Always Files", "Detect Project Type", "Load Conditional Context", "Check Cross-Domain"]
    loads = [(), ("x/always0",), (), ("x/web1", "x/web2"), ("security/guide",)]
    assert [(step.title, step.loaded) for step in result.steps] == list(zip(titles, loads, strict=True))
    assert result.steps[3].left_out == ("x/lib1", "x/lib2")
    assert result.steps[2].reason == "framework flask; libraries redis"
    assert [each.reason for each in result.files][1:] == ["flask: import flask"] * 2 + ["auth: auth (0.9)"]


def test_without_triggers_nothing_crosses_and_an_unknown_domain_gives_an_empty_result(make: Make, doc: Doc) -> None:
    made = catalog(make, doc)
    assert run_protocol(made.provider, "x", SIGNALS).steps[4].reason == "no triggers"
    assert made.notices == []
    result = run_protocol(made.provider, "kubernetes", SIGNALS, ["auth"])
    assert (result.files, result.left_out, result.detection) == ((), (), DetectionResult())
    assert len(result.steps) == 5
    assert made.codes == ["unknown-domain"]


def test_a_file_that_vanishes_meanwhile_is_left_out(make: Make, doc: Doc, monkeypatch: pytest.MonkeyPatch) -> None:
    made = catalog(make, doc)
    monkeypatch.setattr(made.provider, "get_reference", lambda domain, file: None)
    result = run_protocol(made.provider, "x", DetectionSignals())
    assert result.files == ()
    assert [each.id for each in result.left_out] == ["x/always0"]


def test_domains_without_detection_use_the_index(forge: Path) -> None:
    notices: list[object] = []
    provider = MarkdownFileContextProvider(forge, on_notice=notices.append)
    signals = DetectionSignals(config_files=["docker-compose.yml", "infra/Dockerfile"])
    result = run_protocol(provider, "azure", signals)
    assert [(each.id, each.reason) for each in result.files] == [
        ("azure/docker_compose_reference", "Generate docker-compose.yml: docker-compose.yml"),
        ("azure/local_development_setup", "Generate docker-compose.yml: docker-compose.yml"),
        ("azure/dockerfile_reference", "Generate Dockerfile: infra/Dockerfile"),
    ]
    assert result.detection == DetectionResult()
