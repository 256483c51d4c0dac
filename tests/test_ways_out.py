"""One definition of a secret: payloads, commands and the library hide the same, and all say so."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ctxtui import Workspace
from ctxtui.cli.__main__ import main
from ctxtui.core import ContextError, get_counter
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.text.secrets import find_secrets
from ctxtui.loader import ContextCache, LoaderOptions, load_context
from tests.cases import cases

# Put together here, so that no scanner takes this file for a leak.
SECRETS = {
    "shape": "AKIA" + "Q7RZ4M2KX9PLT3WB",
    "name": "Orchid7" + "Lantern42",
    "middle": "v3lvet" + "Harbor19",
    "address": "t0rnado" + "Basalt88",
}
TEXT = f"""# Runbook

aws_access_key_id = {SECRETS["shape"]}

DB_PASSWORD={SECRETS["name"]}

The admin password: {SECRETS["middle"]}

DATABASE_URL=postgres://reporting:{SECRETS["address"]}@pg.internal/ledger
"""
FILES = {
    "AGENTS.md": TEXT,
    ".context/TASKS.md": TEXT,
    "python/index.md": "# Python\n",
    "python/runbook.md": "---\nid: runbook\ntype: reference\n---\n" + TEXT,
}


@pytest.fixture
def root(project: Callable[..., Path]) -> Path:
    return project(FILES)


def _hidden(text: str) -> None:
    shown = [kind for kind, secret in SECRETS.items() if secret in text]
    assert not shown, shown
    assert text.count("[redacted: ") >= len(SECRETS)


def test_the_guard_finds_each_of_them() -> None:
    found = " ".join(TEXT[each.start : each.end] for each in find_secrets(TEXT))
    assert all(secret in found for secret in SECRETS.values())


@cases("form", FORMATS)
@cases("over", ["fail", "cut", "fit"])
def test_payloads_hide_them_and_count_what_leaves(root: Path, form: str, over: str) -> None:
    session = Workspace.open(root).session().pick("AGENTS.md").pick(".context/TASKS")
    payload = session.payload(form, over)  # type: ignore[arg-type]
    _hidden(payload.text)
    assert payload.tokens == get_counter().count(payload.text)
    assert sum(notice.code == "secret" for notice in payload.notices) == 2 * len(SECRETS)


def test_a_load_can_keep_them_or_fail(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["load", "-C", str(root), "--secrets", "keep"]) == 0
    kept = capfd.readouterr().out
    assert all(secret in kept for secret in SECRETS.values())
    assert main(["load", "-C", str(root), "--secrets", "fail"]) == 2
    out, err = capfd.readouterr()
    assert out == ""
    assert ".context/TASKS.md:3 contains a secret (aws-key)" in err


def test_the_library_loads_texts_as_they_are_unless_told_otherwise(root: Path) -> None:
    cache, notices = ContextCache(), []
    kept = load_context(LoaderOptions(root, cache=cache))
    assert all(secret in kept.summary for secret in SECRETS.values())
    hidden = load_context(LoaderOptions(root, cache=cache, secrets="redact", on_notice=notices.append))
    _hidden(hidden.summary)
    assert hidden.token_count == get_counter("heuristic").count(hidden.summary)
    assert [notice.line for notice in notices if notice.code == "secret"] == [3, 5, 7, 9]
    with pytest.raises(ContextError, match="secrets cannot be 'hide'"):
        LoaderOptions(root, secrets="hide")  # type: ignore[arg-type]
