"""Seed 004, 5.3: secrets are neither shown nor found, and files that hold them are not read."""

import re

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.text.secrets import blank, find_secrets, redacted
from ctxtui.retrieval.secret_files import is_secret_file
from tests.cases import cases
from tests.conftest import Project
from tests.retrieval.retrieval_helpers import hits, only, paths, search, told

# Put together here, so that no scanner takes this file for a leak.
KEY = "AKIA" + "A1B2C3D4E5F6G7H8"
TOKEN = "ghp_" + ("aB3" * 20)[:36]
PEM = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *["MIIEow" + "Ab1+/" * 11] * 40, "-----END RSA PRIVATE KEY-----"])

NAMED = """\
password: {} | password = "{}" | 'password': '{}', | "Password" : "{}" | DB_PASSWORD={} | export DB_PASSWORD={}
- password: {} | **Password:** {} | spring.datasource.password={} | api_key = "{}" | apiKey: '{}' | API-KEY: {}
AWS_SECRET_ACCESS_KEY={} | client_secret: {} | secret: `{}` | auth_token={} | credentials: {} | passphrase := {}
<password>{}</password> | login --password {} --host x | login --token="{}" | Authorization: Bearer {}"""


def _hide(text: str) -> str:
    return redacted(text, find_secrets(text), 0, len(text))[0]


@cases("template", re.split(r" \| |\n", NAMED))
def test_values_behind_telling_names_are_hidden(template: str) -> None:
    value = "hunter2-and-more-of-it"
    hidden = _hide(f"before\n{template.format(value)}\nafter")
    assert value not in hidden
    assert hidden.startswith("before\n")
    assert hidden.endswith("\nafter")
    assert hidden.count("[redacted: ") == 1


ALIKE = """\
password: str | password: string; | token: AuthToken, | password = get_password() | secret = os.environ['SECRET']
token = process.env.TOKEN | password=${PASSWORD} | password: $PASSWORD | api_key = '{{ api_key }}'
token: <your-token> | password: ******** | password: your-password | max_tokens=4096 | estimatedTokens: 30000
the token: whatever it is | a password is required | primary_key = customer_id1 | password=password, | secret: null
login --token $TOKEN | token_url: https://example.com/token | Bearer authentication"""


@cases("text", re.split(r" \| |\n", ALIKE))
def test_what_only_looks_like_a_named_value_is_left_alone(text: str) -> None:
    assert _hide(text) == text


def test_a_named_value_of_a_known_shape_is_called_by_its_shape() -> None:
    assert _hide(f'api_key = "{KEY}"') == 'api_key = "[redacted: aws-key]"'


@given(st.text(), st.integers(0, 80), st.integers(0, 80))
def test_a_piece_never_shows_what_is_hidden_wherever_it_is_cut(before: str, start: int, size: int) -> None:
    text = f"{before}\npassword: hunter2-hunter3 {KEY} after"
    hidden = find_secrets(text)
    piece, count = redacted(text, hidden, start, start + size)
    for secret in hidden:
        assert not text[max(start, secret.start) : min(start + size, secret.end)] or "[redacted: " in piece
    assert count == sum(secret.start < start + size and secret.end > start for secret in hidden)
    assert blank(text, hidden).count("\n") == text.count("\n")
    assert KEY not in blank(text, hidden)


@cases("secret", [KEY, TOKEN, "hunter2swordfish"])
def test_a_secret_is_neither_shown_nor_found(project: Project, secret: str) -> None:
    root = project({"a.md": f"# Deploy\n\npassword: {secret}\n\nThen deploy.\n", "other.md": "# Other\n\ntext\n"})
    hit = only(root, "deploy")
    assert (secret in hit.snippet.content, hit.redacted) == (False, 1)
    assert "password: [redacted: " in hit.snippet.content
    for prompt in (secret, secret.lower(), secret[:12], f"deploy {secret}"):
        assert paths(root, prompt) == (["a.md"] if "deploy" in prompt else [])
        assert hits(root, secret[:8], is_typing=True) == ()
    assert hits(root, f"deploy {secret}")[0].snippet.score == hit.snippet.score


def test_how_many_are_redacted_is_told(project: Project) -> None:
    root = project({"a.md": f"alpha {KEY} {TOKEN}\n", "b.md": "alpha\n\npassword: hunter22\n", "c.md": "alpha\n"})
    result = search(root, "alpha")
    assert sorted(hit.redacted for hit in result.hits) == [0, 1, 2]
    (notice,) = told(result, "redacted-secrets")
    assert notice.message.endswith(": 3")
    assert not told(search(root, "zebra"), "redacted-secrets")


def test_a_heading_never_gives_a_secret_away(project: Project) -> None:
    hit = only(project({"a.md": f"# Key {KEY}\n\nalpha\n"}), "alpha")
    assert (hit.snippet.source, KEY in hit.snippet.content) == ("Key [redacted: aws-key]", False)


def test_a_key_of_many_lines_is_hidden_wherever_windows_and_snippets_are_cut(project: Project) -> None:
    lines = [f"line {number} alpha" for number in range(60)]
    text = "\n\n".join([*lines, PEM, *lines])
    for name in ("a.txt", "a.md"):
        root = project({name: text})
        for hit in hits(root, "alpha line", 50):
            assert "MIIEow" not in hit.snippet.content
            start, end = (int(part) for part in hit.snippet.id.partition("#L")[2].split("-L"))
            first = hit.snippet.content.splitlines()[0]
            assert text.splitlines()[start - 1] == first or first.startswith("[redacted")
            assert end <= len(text.splitlines())
        assert paths(root, "MIIEow") == []


def test_a_mark_is_never_cut_in_two(project: Project) -> None:
    for size in range(1_150, 1_210, 4):
        root = project({"a.md": f"alpha {'x' * 8} " + "y" * (size - 30) + f" {KEY} {KEY} end"})
        content = hits(root, "alpha")[0].snippet.content
        assert len(content) <= 1_200
        assert content.count("[redacted") == content.count("[redacted: aws-key]")


SECRET_FILES = """
.env .env.local prod.env server.pem id_rsa id_ed25519.pub tls.key TLS.KEY .npmrc .netrc .pypirc store.p12 main.tfvars
credentials credentials.json secrets.yaml client_secret_1.json service-account-x.json .git-credentials wp-config.php
.docker/config.json
""".split()
DOCUMENTS = "a.md environment.md credentials.md secrets.md keys.py key config.json env token.py".split()


def test_secret_files_are_known_by_their_names() -> None:
    assert [name for name in SECRET_FILES if not (is_secret_file(name) and is_secret_file(f"deep/er/{name}"))] == []
    assert [name for name in DOCUMENTS if is_secret_file(name)] == []


def test_secret_files_are_not_searched_and_told(project: Project) -> None:
    root = project({"server.pem": "alpha", ".context/.env": "alpha", f"{TOKEN}.md": "alpha", "a.md": "alpha"})
    (root / "link.md").symlink_to("server.pem")
    result = search(root, "alpha")
    assert [hit.snippet.path for hit in result.hits] == ["a.md"]
    assert {notice.path for notice in told(result, "secret-file")} == {".context/.env", "server.pem", f"{TOKEN}.md"}
