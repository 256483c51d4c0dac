"""`[rules]` of a configuration: rules off, severities, thresholds, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from ctxtui.audit import RULES, Settings, audit
from ctxtui.audit.reports.report import Report
from ctxtui.audit.rule_settings import THRESHOLDS, tuned
from ctxtui.audit.run import run_audit
from ctxtui.core.base.errors import ContextError
from ctxtui.session.saved.config import load_config
from ctxtui.workspace.workspace import Workspace
from tests.audit.auditing_helpers import LOREM, ignore
from tests.cases import cases
from tests.conftest import Project

KNOWN = [rule.id for rule in RULES]
LINKS = {"AGENTS.md": "# A\n\n[x](gone.md)\n", "docs/AGENTS.md": "# B\n\n[y](lost.md)\n"}


def _tuned(data: dict[str, Any]) -> Settings:
    return tuned(Settings(), data, KNOWN)


def _found(project: Project, files: dict[str, str], data: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    result = audit(Workspace.open(project(files), on_notice=ignore), settings=_tuned(data))
    return [(each.rule, each.severity, each.path) for each in result.findings]


def test_a_rule_is_off_or_has_another_severity(project: Project) -> None:
    assert _found(project, LINKS, {"broken-link": "off"}) == []
    found = _found(project, LINKS, {"broken-link": {"severity": "error"}})
    assert {severity for rule, severity, _ in found if rule == "broken-link"} == {"error"}


def test_thresholds_are_tokens_as_people_write_them_and_shares(project: Project) -> None:
    settings = _tuned({"token-drift": {"share": 2, "tokens": "1k"}, "repeated-text": {"tokens": 40}})
    assert (settings.drift_share, settings.drift_tokens, settings.repeat_tokens) == (2.0, 1000, 40)
    files = {f".context/{name}.md": f"# {name}\n{LOREM}" for name in "AB"}
    assert _found(project, files, {"repeated-text": {"tokens": "5k"}}) == []


def test_every_threshold_is_a_setting() -> None:
    for rule, keys in THRESHOLDS.items():
        assert rule in KNOWN
        assert all(hasattr(Settings(), name) for name in keys.values())


@cases(
    ("data", "message", "hint"),
    [
        ({"broken-lnk": "off"}, "unknown key `broken-lnk`", "broken-link"),
        ({"blob": {"token": 3}}, "unknown key `token`", "tokens"),
        ({"blob": {"share": 3}}, "unknown key `share`", "tokens"),
        ({"blob": "loud"}, "`blob` cannot be 'loud'", "off, error, warning, info"),
        ({"blob": {"severity": ["off"]}}, "should be one of off, error", ""),
        ({"blob": 3}, "should be a severity or a table", "off"),
        ({"blob": {"tokens": True}}, "should be a number of tokens", "12k"),
        ({"blob": {"tokens": "many"}}, "many", "12k"),
        ({"token-drift": {"share": float("nan")}}, "should be a share", "0.5"),
        ({"token-drift": {"share": -1}}, "should be a share", "0.5"),
        ({"ignore": {"paths": ["x"]}}, "should be a list", "[[rules.ignore]]"),
        ({"ignore": [{"paths": ["x"]}] * 501}, "at most 500", "[[rules.ignore]]"),
        ({"ignore": [3]}, "`ignore[0]` should be a mapping", "paths"),
        ({"ignore": [{"path": ["x"], "reason": "y"}]}, "unknown key `path`", "paths"),
        ({"ignore": [{"rules": ["blobs"], "reason": "y"}]}, "unknown rule `blobs`", "blob"),
        ({"ignore": [{"rules": [["blob"]], "reason": "y"}]}, "should be a string", ""),
        ({"ignore": [{"paths": ["x" * 501], "reason": "y"}]}, "at most 500 characters", ""),
        ({"ignore": [{"reason": "y"}]}, "ignores everything", "paths"),
        ({"ignore": [{"paths": ["x"]}]}, "gives no `reason`", "why"),
        ({"ignore": [{"paths": ["x"], "reason": " "}]}, "reason` should be a string that is not blank", ""),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_nearest(data: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(ContextError) as refused:
        _tuned(data)
    assert refused.value.category == "invalid_request"
    assert message in refused.value.message
    assert hint in (refused.value.hint or "")


def _reported(root: Path) -> Report:
    workspace = Workspace.open(root, on_notice=ignore)
    return run_audit(workspace, workspace.session().budget, load_config(root, {}))


def _useless(root: Path) -> list[tuple[str | None, int | None]]:
    found = [each for each in _reported(root).findings if each.rule == "useless-ignore"]
    return [(each.path, each.line) for each in found]


def test_the_configuration_tunes_an_audit_and_names_where_an_ignore_is_useless(project: Project) -> None:
    toml = '[rules]\nnever-loaded = "off"\n\n[[rules.ignore]]\npaths = ["gone/**"]\nreason = "was here"\n'
    root = project({**LINKS, "ctxtui.toml": toml, ".cursor/rules/a.md": "x\n"})
    assert "never-loaded" not in {each.rule for each in _reported(root).findings}
    assert _useless(root) == [("ctxtui.toml", 6)]


def test_each_useless_ignore_has_the_line_of_its_own_reason(project: Project) -> None:
    reasons = {"blob": '"x"', "secret": '"x"', "paid-twice": r'"say \"why\""'}
    header = "[[tool.ctxtui.rules.ignore]]"
    entries = [f'{header}\nrules = ["{rule}"]\nreason = {reason}' for rule, reason in reasons.items()]
    own = '# x\n[rules]\nheavy-trigger = "off"\n'
    root = project({"pyproject.toml": "\n".join(["# x marks the spot", *entries]), "ctxtui.toml": own})
    assert _useless(root) == [("pyproject.toml", line) for line in (4, 7, 10)]
    (root / "ctxtui.toml").write_text('[rules]\nignore = [{ rules = ["blob"], reason = "x" }]\n')
    assert _useless(root) == [("ctxtui.toml", 2)]
