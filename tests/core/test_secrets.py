import pytest
from hypothesis import given
from texts import nasty

from ctxtui.core.secrets import find_secrets, redact
from ctxtui.core.secrets.shapes import rules

# Put together here, so that no scanner takes this file for a leak.
A20, A22, A24, A35, A36, A59 = (("aB3" * 20)[:size] for size in (20, 22, 24, 35, 36, 59))
PEM_BODY = "\n".join(["MIIEow" + "Ab1+/" * 11] * 4)


def _pem(kind: str) -> str:
    return f"-----BEGIN {kind}-----\n{PEM_BODY}\n-----END {kind}-----"


EXAMPLES = [
    ("aws-key", "AKIA" + "A1B2C3D4E5F6G7H8"),
    ("aws-key", "ASIA" + "A1B2C3D4E5F6G7H8"),
    *(("github-token", f"gh{kind}_" + A36) for kind in "pousr"),
    ("github-token", "github_pat_" + A22 + "_" + A59),
    ("gitlab-token", "glpat-" + A20),
    ("slack-token", "xoxb-" + A24),
    ("slack-token", "xapp-" + A24),
    ("slack-webhook", "hooks.slack.com/services/T" + "AAA/BBBB/" + A24),
    ("anthropic-key", "sk-ant-" + "api03-" + A24),
    ("openai-key", "sk-proj-" + A24),
    ("openai-key", "sk-svcacct-" + A24),
    ("openai-key", "sk-" + A20 + "T3Blbk" + "FJ" + A20),
    ("google-key", "AIza" + A35),
    ("stripe-key", "sk_live_" + A24),
    ("stripe-key", "rk_live_" + A24),
    ("npm-token", "npm_" + A36),
    ("pypi-token", "pypi-AgE" + A59),
    ("hugging-face-token", "hf_" + A35),
    ("json-web-token", f"eyJ{A20}.eyJ{A20}.{A24}"),
    ("private-key", _pem("PRIVATE KEY")),
    ("private-key", _pem("RSA PRIVATE KEY")),
    ("private-key", _pem("OPENSSH PRIVATE KEY")),
    ("private-key", _pem("ENCRYPTED PRIVATE KEY").replace("\n", "\r\n")),
    ("private-key", _pem("EC PRIVATE KEY").replace("\n", "\\n")),
]


@pytest.mark.parametrize(("rule", "secret"), EXAMPLES)
def test_a_credential_is_found_where_it_stands(rule: str, secret: str) -> None:
    for before, after in (("", ""), ("key: ", "\n"), ('"', '",'), ("a ", " b"), ("(", ")."), ("`", "`")):
        found = find_secrets(before + secret + after)
        assert [(each.rule, each.start, each.end) for each in found] == [(rule, len(before), len(before + secret))]


@pytest.mark.parametrize("secret", ["hunter2x", "p4ss-w0rd!", "s3cr3t%21"])
def test_user_and_password_in_an_address_are_replaced_and_the_host_stays(secret: str) -> None:
    text = f"DATABASE_URL=postgres://admin:{secret}@db.example.com/orders"
    assert redact(text)[0] == "DATABASE_URL=postgres://[redacted: url-password]@db.example.com/orders"


def test_every_rule_has_an_example_here() -> None:
    assert {rule.id for rule in rules()} == {rule for rule, _ in EXAMPLES} | {"url-password"}


@pytest.mark.parametrize(
    "text",
    [
        "AKIA" + "A1B2C3D4E5F6G7H",
        "AKIA" + "A1B2C3D4E5F6G7H8I",
        "AKIA" + "a1b2c3d4e5f6g7h8",
        "xAKIA" + "A1B2C3D4E5F6G7H8",
        "ghp_" + A35,
        "ghx_" + A36,
        "github_pat_" + A22,
        "glpat-" + "short",
        "xoxb-your-token",
        "https://hooks.slack.com/services/T000/B000/XXX",
        "sk-ant-short",
        "sk-proj-your-key",
        "task-proj-" + A24,
        "AIza" + A24,
        "sk_test_" + A24,
        "sk_live_" + "short",
        "npm_install",
        "npm_" + A35,
        "pypi-AgEshort",
        "hf_transfer",
        "eyJ" + A20,
        f"eyJ{A20}.{A24}.{A24}",
        _pem("PUBLIC KEY"),
        _pem("CERTIFICATE"),
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        "postgres://user:password@localhost/db",
        "postgres://user:${PASSWORD}@localhost/db",
        "postgres://user:<password>@localhost/db",
        "https://example.com:8080/path@x",
        "https://user@example.com/",
        "git@github.com:owner/name.git",
        "see https://a.example/x and b: c@d.example",
    ],
)
def test_what_only_looks_like_one_is_left_alone(text: str) -> None:
    assert find_secrets(text) == []
    assert redact(text) == (text, [])


def test_each_of_several_is_replaced_and_the_rest_stays() -> None:
    key, token = "AKIA" + "A1B2C3D4E5F6G7H8", "ghp_" + A36
    assert redact(f"a {key} b {token}\n{key}")[0] == (
        "a [redacted: aws-key] b [redacted: github-token]\n[redacted: aws-key]"
    )


def test_two_private_keys_are_two_secrets() -> None:
    text = f"{_pem('RSA PRIVATE KEY')}\nbetween\n{_pem('EC PRIVATE KEY')}\n"
    assert redact(text)[0] == "[redacted: private-key]\nbetween\n[redacted: private-key]\n"


@given(nasty, nasty)
def test_redacted_text_holds_no_secret(before: str, after: str) -> None:
    text = f"{before} {'AKIA' + 'A1B2C3D4E5F6G7H8'} {after}"
    redacted, found = redact(text)
    assert len(found) == 1
    assert find_secrets(redacted) == []
    assert redact(redacted) == (redacted, [])


@pytest.mark.parametrize(
    "text",
    ["sk-" * 100_000, "eyJ" * 100_000, "-----BEGIN PRIVATE KEY-----" * 5_000, "://a:" * 60_000, "xoxb-" * 60_000],
)
def test_near_misses_in_bulk_are_searched_in_bounded_time(text: str) -> None:
    assert isinstance(find_secrets(text), list)
