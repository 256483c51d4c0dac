import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxtui import ContextError, Session, Workspace
from ctxtui.core.payload.formats import FORMATS
from ctxtui.core.tokens.encodings import encoding
from tests.cases import cases

KEY = "AKIA" + "A1B2C3D4E5F6G7H8"
TOKEN = "ghp_" + "aB3" * 12
PEM = "-----BEGIN PRIVATE KEY-----\n" + "MIIEow+/Ab1\n" * 8 + "-----END PRIVATE KEY-----"
TEXT = f"# A\r\n\r\nkey: {KEY}\r\n\r\n# B\r\n\r\nnothing\r\n\r\n# C\n{TOKEN}"


def _count(text: str) -> int:
    return len(encoding("o200k_base").encode(text, disallowed_special=()))


@pytest.fixture
def session(project: Callable[..., Path]) -> Session:
    files = {"a.md": TEXT, "key.pem": PEM + "\n", "env.py": f'KEY = "{KEY}"\n', "clean.md": "# Clean\n"}
    return Workspace.open(project(files)).session()


@cases("name", FORMATS)
@cases("limit", [None, 70, 40])
def test_secrets_are_replaced_and_what_is_exported_is_counted(session: Session, name: str, limit: int | None) -> None:
    picked = session.pick("a.md").pick("env.py").pick("key.pem").with_budget(limit)
    for over in ("cut", "fit"):
        payload, layout = picked.payload(name, over), picked.layout(name, over)
        for secret in (KEY, TOKEN, "MIIEow"):
            assert secret not in payload.text
        assert payload.tokens == layout.tokens == _count(payload.text)
        assert payload.wanted == layout.wanted == picked.with_budget(None).payload(name).tokens


def test_secrets_are_told_where_a_text_is_picked_and_fits_and_kept_if_one_wants_them(session: Session) -> None:
    payload = session.pick("a.md").pick("key.pem").payload()
    found = [(notice.path, notice.line) for notice in payload.notices if notice.code == "secret"]
    assert found == [("a.md", 3), ("a.md", 10), ("key.pem", 1)]
    assert payload.secrets == 3
    assert [block.secrets for block in payload.blocks] == [2, 1]
    assert not any(KEY in notice.message or TOKEN in notice.message for notice in payload.notices)
    assert payload.text.count("[redacted: private-key]") == 1
    payload = session.pick("a.md#b").with_output(secrets="fail").payload()
    assert payload.secrets == 0
    assert "nothing" in payload.text
    assert session.pick("a.md#c").payload().secrets == 1
    cut = session.pick("clean.md").pick("a.md").with_budget(20).payload(over="fit")
    assert (cut.omitted, cut.secrets) == (("a.md",), 0)
    payload = session.pick("a.md").with_output(secrets="keep").payload()
    assert KEY in payload.text
    assert payload.tokens == _count(payload.text)
    assert payload.secrets == 2
    assert all("exported as it is" in notice.message for notice in payload.notices)


def test_prompts_are_treated_alike(session: Session) -> None:
    asked = session.with_prompt(f"use {KEY}")
    payload = asked.payload()
    assert "use [redacted: aws-key]" in payload.text
    assert (payload.secrets, payload.tokens) == (1, _count(payload.text))
    kept = asked.with_output(secrets="keep").payload()
    assert KEY in kept.text
    assert kept.tokens == _count(kept.text)
    with pytest.raises(ContextError, match="prompt"):
        asked.with_output(secrets="fail").payload()


TABLE = "| User | Password |\n|---|---|\n" + "".join(f"| u{place} | zq{place}Kv8{place}Lw |\n" for place in range(20))
LONG_PEM = "-----BEGIN PRIVATE KEY-----\n" + "".join(f"MIIE{place:02d}ow+/Ab1XyZ09\n" for place in range(20))
MANY = f"# Keys\n\n{LONG_PEM}-----END PRIVATE KEY-----\n\n# Users\n\n{TABLE}"


@pytest.fixture
def many(project: Callable[..., Path]) -> Session:
    return Workspace.open(project({"many.md": MANY})).session()


@given(first=st.integers(1, 40), count=st.integers(1, 9))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_lines_of_a_file_hide_what_the_whole_file_hides(many: Session, first: int, count: int) -> None:
    assert not re.search(r"MIIE\d|zq\d+Kv", many.with_snippet("many.md", first, first + count - 1).payload().text)


def test_notices_of_lines_name_the_lines_of_the_file(many: Session) -> None:
    payload = many.with_snippet("many.md", 30, 31).payload()
    assert [notice.line for notice in payload.notices if notice.code == "secret"] == [30, 31]
    with pytest.raises(ContextError, match=r"many\.md:30 contains a secret"):
        many.with_snippet("many.md", 30, 31).with_output(secrets="fail").payload()
