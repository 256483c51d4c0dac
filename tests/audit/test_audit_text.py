"""Rules about what should not reach a model: credentials, invisible characters, text nobody reads."""

import base64
import random

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.audit.text.dense import find_blobs
from ctxtui.audit.text.facts import read_facts, split_lines
from ctxtui.audit.text.invisible import find_hidden, without_hidden
from ctxtui.core.tokens.by_name import get_counter
from tests.audit.auditing_helpers import LOREM, found, one, skill
from tests.cases import cases
from tests.conftest import Project

TOKEN = "ghp_" + "w7RqZk2mTfX9bLd4VyHs8NcJ3gPeU6aKx1Qz"
DATA = base64.b64encode(random.Random(7).randbytes(3000)).decode()
MINIFIED = ";".join(f"var a{n}=function(b){{return b*{n}}}" for n in range(120))


def test_a_credential_is_told_without_being_shown(project: Project) -> None:
    finding = one(project({"AGENTS.md": f"# A\n\ntoken: {TOKEN}\nagain: {TOKEN}\n"}), "secret")
    assert (finding.path, finding.line, finding.severity) == ("AGENTS.md", 3, "error")
    assert (finding.subject, "2 times" in finding.message) == ("github-token", True)
    assert TOKEN not in repr(finding)
    # A random value under the name of a credential.
    finding = one(project({"AGENTS.md": "# A\n\nDB_PASSWORD=w7RqZk2mTfX9bLd4VyHs8NcJ\n"}), "secret")
    assert (finding.severity, finding.line, finding.subject) == ("warning", 3, "password")


@cases(
    "text",
    [
        *("AKIAIOSFODNN7EXAMPLE", "AKIA" + "X" * 16, "ghp_" + "x" * 36, "ghp_<your token>", "sk-ant-..."),
        "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
        f"This is insecure:\n\n    key = {TOKEN}",
        *('password = "hunter2"', "session_id = 'sesn_011CZxAbc123Def456'", "https://user:password@host.org"),
        *(f'"refresh_token": "{each}"' for each in ("tGzv3JOkF0XG5Qx2TlKWIA", "2YotnFZFEjr1zCsicMWpAA")),
        "https://ico.example.net/news/2020/10/ico-fines-airline-20m-for-data-breach-affecting-400-000",
    ],
)
def test_samples_and_placeholders_are_no_credentials(project: Project, text: str) -> None:
    # Those of plain files are the business of other tools.
    assert found(project({"AGENTS.md": f"{text}\n", "src/a.py": f"KEY = '{TOKEN}'\n"}), "secret") == []


@cases(
    ("char", "kind", "severity"),
    [
        ("\u200b", "zero-width", "warning"),
        ("\u2060", "zero-width", "warning"),
        ("\ufeff", "zero-width", "warning"),
        ("\u202e", "direction", "warning"),
        ("\u2066", "direction", "warning"),
        ("\U000e0041", "tag", "error"),
    ],
)
def test_invisible_characters_have_their_first_line(project: Project, char: str, kind: str, severity: str) -> None:
    finding = one(project({"AGENTS.md": f"# A\n\nhid{char}den\nand {char}{char} more\n"}), "invisible-text")
    assert (finding.path, finding.line, finding.severity) == ("AGENTS.md", 3, severity)
    assert finding.message.startswith(f"3 {kind}")
    assert "2 lines" in finding.message
    assert finding.tokens > 0


@cases(
    "text",
    [
        "family \U0001f468\u200d\U0001f469\u200d\U0001f467, heart \u2764\ufe0f\u200d\U0001f525",
        "\u0646\u0627\u0645\u0647\u200c\u0627\u06cc and \u200f(\u05d0)\u200e",
        *("\u0915\u094d\u200d\u0937", "\u0e01\u200b\u0e02", "naïve – “quoted” … 日本語 \U0001f680"),
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        # A byte order mark at the start is none.
        "\ufeff# A",
    ],
)
def test_scripts_and_emoji_may_use_theirs(project: Project, text: str) -> None:
    assert found(project({"AGENTS.md": f"{text}\n"}), "invisible-text") == []


@cases(
    ("path", "is_told"),
    [
        (".claude/skills/helper/SKILL.md", True),
        (".claude/skills/helper/run.py", False),
        (".claude/skills/helper/references/fixtures/input.md", False),
        (".claude/skills/helper/tests/payload.md", False),
        ("golden/AGENTS.md", False),
        ("tests/AGENTS.md", True),
        (".cursorrules", True),
    ],
)
def test_invisible_characters_count_in_prose_that_models_read(project: Project, path: str, is_told: bool) -> None:
    files = {"AGENTS.md": "# A\n", ".claude/skills/helper/SKILL.md": skill(), path: f"{skill()}a\u200bb\n"}
    assert [each.path for each in found(project(files), "invisible-text")] == [path] * is_told


def test_a_quote_does_not_begin_within_an_escape(project: Project) -> None:
    text = f"{'word ' * 5}{chr(92)}u00e9{'x' * 25} and \u200bhidden\n"
    assert one(project({"AGENTS.md": text}), "invisible-text").message.endswith("“and ␣hidden”")


def test_a_key_in_the_configuration_of_a_web_client_is_to_be_restricted(project: Project) -> None:
    key = f"const config = {{\n  apiKey: '{'AIza' + 'SyD3kT9wQmZ7xVbR2nLc8HfJ5gPuE4aYs1K'}',\n"
    finding = one(project({"AGENTS.md": f"{key}  authDomain: 'shop.firebaseapp.com',\n}}\n"}), "secret")
    assert (finding.severity, finding.remedy.words.partition(" to ")[0]) == ("info", "restrict it")
    other = one(project({"AGENTS.md": key}), "secret")
    assert (other.severity, other.remedy.words) == ("error", "")


_WRAPPED = "\n".join(DATA[start : start + 76] for start in range(0, len(DATA), 76))


@cases("text", [f"![x](data:image/png;base64,{DATA})", DATA, _WRAPPED, MINIFIED])
def test_blobs_are_told_with_their_tokens(project: Project, text: str) -> None:
    finding = one(project({"AGENTS.md": f"# A\n\n```\n{text}\n```\n"}), "blob")
    assert (finding.path, finding.line, finding.severity) == ("AGENTS.md", 4, "info")
    assert finding.tokens == get_counter().count(text)


@cases(
    "text",
    [
        LOREM.replace("\n", " ") * 10,
        "\n".join(f"{n:064x}" for n in range(7)),
        "日本語の文章には空白がありません。" * 200,
        "| " + " | ".join(f"cell {n}" for n in range(300)) + " |",
        DATA[:300],
        "https://example.org/" + "a/" * 100,
        "=" * 300,
    ],
)
def test_prose_tables_scripts_and_short_runs_are_no_blobs(project: Project, text: str) -> None:
    assert found(project({"AGENTS.md": f"# A\n\n{text}\n"}), "blob") == []


@given(st.text())
def test_no_text_makes_the_facts_fail(text: str) -> None:
    facts = read_facts(text)
    lines = split_lines(text)
    assert len(facts.lines) == len(facts.numbers) == len(facts.sizes)
    assert all(1 <= number <= len(lines) for number in facts.numbers)
    assert all(1 <= blob.first <= blob.last <= len(lines) for blob in find_blobs(lines))
    assert sum(each.count for each in find_hidden(lines)) <= len(text) - len(without_hidden(text))


def test_a_value_behind_bearer_is_no_checksum(project: Project) -> None:
    value = "80312a8069cd673e52ff4e6d76b2f99e0eca6e8ea9580330c408c0a99f1de3c1"
    servers = '{"mcpServers": {"a": {"type": "http", "url": "x", "headers": {"Authorization": "%s"}}}}'
    assert one(project({"CLAUDE.md": "x\n", ".mcp.json": servers % f"Bearer {value}"}), "secret").path == ".mcp.json"
    assert found(project({"CLAUDE.md": f"# A\n\ntoken checksum: {value}\n"}), "secret") == []


@cases(
    ("text", "told"),
    [
        # Marks that keep a fence within a fence.
        ("# A\n\n```md\n{0}```py\nx\n{0}```\n```\n", []),
        ('# A\n\n```py\ntext.startswith("{0}")\n```\n', []),
        ("# A\n\nin{0}visible\n", [("warning", 3)]),
    ],
)
def test_marks_that_keep_fences_apart_are_needed(project: Project, text: str, told: list[tuple[str, int]]) -> None:
    for mark in "\u200b\u200d\ufeff":
        findings = found(project({"AGENTS.md": text.format(mark)}), "invisible-text")
        assert [(each.severity, each.line) for each in findings] == told, ascii(mark)


@cases(
    ("text", "severities"),
    [
        ("Split words such as ig\u200bnore with a zero-width space.", []),
        ("\u200b".join("a zero-width space hides much more"), ["warning"]),
        ("a zero-width tag \U000e0041\U000e0042", ["error"]),
    ],
)
def test_a_line_on_zero_width_characters_may_show_a_few(project: Project, text: str, severities: list[str]) -> None:
    assert [each.severity for each in found(project({"AGENTS.md": f"{text}\n"}), "invisible-text")] == severities


def test_blobs_in_what_a_skill_runs_or_copies_are_left_alone(project: Project) -> None:
    for path, told in (("scripts/icons.py", []), ("assets/a.svg", []), ("references/a.md", ["info"])):
        findings = found(project({"skills/helper/SKILL.md": skill(), f"skills/helper/{path}": DATA}), "blob")
        assert [each.severity for each in findings] == told, path


@cases("text", ["---\na: x{}\n---\n# B\n", "---\na: x\n---\n# B {}c\n", "# B\r\r\n{} c\n", "{}"])
def test_invisible_characters_anywhere_are_facts(text: str) -> None:
    for char in "\u200b\u202e\ufeff\U000e0041\u180e":
        written = text.format(char)
        assert read_facts(written).hidden == find_hidden(split_lines(written)) != ()
