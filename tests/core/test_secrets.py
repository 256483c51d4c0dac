import random
from base64 import b64encode
from itertools import pairwise
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.text.secrets import find_secrets, redact, redacted
from ctxtui.core.text.secrets.names import NAMES
from ctxtui.core.text.secrets.search import HEADING, any_heading, present
from ctxtui.core.text.secrets.shapes import by_anchor, rules
from tests.cases import cases
from tests.core.texts import nasty

# Put together here, so that no scanner takes this file for a leak.
A20, A22, A24, A35, A36, A59 = (("aB3" * 20)[:size] for size in (20, 22, 24, 35, 36, 59))
HEX, LETTERS = "0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
ALL = "0123456789ABCDEFGHJKMNPQRSTVWXYZabcdefghjkmnpqrstvwxyz"


def _made(size: int, alphabet: str = ALL) -> str:
    return "".join(random.Random(size).choices(alphabet, k=size))


PEM_BODY = "\n".join(["MIIEow" + "Ab1+/" * 11] * 4)


def _pem(kind: str) -> str:
    return f"-----BEGIN {kind}-----\n{PEM_BODY}\n-----END {kind}-----"


EXAMPLES = [
    *(("aws-key", start + "A1B2C3D4E5F6G7H8") for start in ("AKIA", "ASIA")),
    *(("github-token", f"gh{kind}_" + A36) for kind in "pousr"),
    ("github-token", "github_pat_" + A22 + "_" + A59),
    ("gitlab-token", "glpat-" + A20),
    *(("slack-token", start + A24) for start in ("xoxb-", "xapp-")),
    ("slack-webhook", "hooks.slack.com/services/T" + "AAA/BBBB/" + A24),
    ("anthropic-key", "sk-ant-" + "api03-" + A24),
    *(("openai-key", start + A24) for start in ("sk-proj-", "sk-svcacct-")),
    ("openai-key", "sk-" + A20 + "T3Blbk" + "FJ" + A20),
    ("google-key", "AIza" + A35),
    *(("stripe-key", start + A24) for start in ("sk_live_", "rk_live_")),
    ("npm-token", "npm_" + A36),
    ("pypi-token", "pypi-AgE" + A59),
    ("hugging-face-token", "hf_" + A35),
    ("json-web-token", f"eyJ{A20}.eyJ{A20}.{A24}"),
    ("aws-key", "ABSK" + _made(120)),
    ("bitbucket-token", "ATBB" + _made(32)),
    ("atlassian-token", "ATATT3x" + "FfG" + _made(180)),
    *(("model-api-key", start + _made(48)) for start in ("sk-or-" + "v1-", "pplx-", "gs" + "k_", "xai-", "tvly-")),
    ("model-api-key", "fc-" + _made(32, HEX)),
    ("google-token", "ya29" + "." + _made(100)),
    ("google-token", "GOCSPX" + "-" + _made(28)),
    ("firebase-key", "AAAA" + _made(7) + ":APA91b" + _made(134)),
    ("azure-secret", "wv" + "o8Q~" + _made(34)),
    ("square-token", "sq0csp" + "-" + _made(43)),
    ("braintree-token", "access_token$" + "production$" + _made(16, HEX) + "$" + _made(32, HEX)),
    ("payment-key", "FLWSECK" + "-" + _made(32)),
    ("facebook-token", "EAAh" + _made(150)),
    ("twitter-token", "A" * 22 + _made(80)),
    ("shopify-token", "shpat" + "_" + _made(32, HEX)),
    ("twilio-key", "SK" + _made(32, HEX)),
    ("mail-key", "SG" + "." + _made(22) + "." + _made(43)),
    ("mail-key", "xkeysib" + "-" + _made(64, HEX) + "-" + _made(16)),
    ("mail-key", "key" + "-" + _made(32, HEX)),
    ("mail-key", _made(32, HEX) + "-us" + "14"),
    ("telegram-token", "5478549" + "489:AA" + _made(33)),
    ("discord-token", "MTA5" + _made(20) + "." + _made(6) + "." + _made(38)),
    ("registry-token", "dckr_pat" + "_" + _made(27)),
    ("registry-token", "cio" + _made(32)),
    ("digitalocean-token", "dop_v1" + "_" + _made(64, HEX)),
    ("databricks-token", "dapi" + _made(32, HEX) + "-2"),
    ("heroku-key", "HRKU-" + "AA" + _made(58)),
    *(("hosting-token", start + _made(43)) for start in ("nfp" + "_", "dp." + "pt.", "tskey-auth-", "sbp" + "_")),
    ("hosting-token", "API" + "-" + _made(26, LETTERS)),
    ("vault-token", "hvs" + "." + _made(90)),
    ("terraform-token", _made(14) + ".atlas" + "v1." + _made(67)),
    *(("monitoring-key", start + _made(32)) for start in ("NRAK" + "-", "glsa" + "_", "sntryu" + "_", "phx" + "_")),
    *(("tool-token", start + _made(46)) for start in ("lin_" + "api_", "ntn" + "_", "figd" + "_", "PMAK" + "-")),
    ("tool-token", "secret" + "_" + _made(43)),
    ("airtable-token", "pat" + _made(14) + "." + _made(64, HEX)),
    ("harness-token", "pat" + "." + _made(22) + "." + _made(24) + "." + _made(20)),
    ("1password-key", "A3-" + "-".join(_made(size, LETTERS) for size in (6, 11, 5, 5, 5))),
    ("private-key", "AGE-SECRET" + "-KEY-1" + _made(58, LETTERS)),
    ("private-key", b64encode(_pem("RSA PRIVATE KEY").encode()).decode()),
    *(("private-key", _pem(f"{kind}PRIVATE KEY")) for kind in ("", "RSA ", "OPENSSH ")),
    ("private-key", _pem("PGP PRIVATE KEY BLOCK")),
    ("private-key", _pem("ENCRYPTED PRIVATE KEY").replace("\n", "\r\n")),
    ("private-key", _pem("EC PRIVATE KEY").replace("\n", "\\n")),
]


@cases(("rule", "secret"), EXAMPLES)
def test_a_credential_is_found_where_it_stands(rule: str, secret: str) -> None:
    for before, after in (("", ""), ("key: ", "\n"), ('"', '",'), ("a ", " b"), ("(", ")."), ("`", "`")):
        found = find_secrets(before + secret + after)
        assert [(each.rule, each.start, each.end) for each in found] == [(rule, len(before), len(before + secret))]


@pytest.mark.parametrize("secret", ["hunter2x", "p4ss-w0rd!", "s3cr3t%21"])
def test_user_and_password_in_an_address_are_replaced_and_the_host_stays(secret: str) -> None:
    text = f"DATABASE_URL=postgres://admin:{secret}@db.example.com/orders"
    assert redact(text)[0] == "DATABASE_URL=postgres://[redacted: url-password]@db.example.com/orders"


def test_every_rule_has_an_example_here() -> None:
    assert {rule.id for rule in rules()} == {rule for rule, _ in EXAMPLES} - {"slack-webhook"}


# Made up, and in no list of words.
WORD = "Granite-Fox-71"
CODE = "hJ8kL2mN4pQ6rS8tU0vW"
PLACES = [
    *("admin password: {}", "user=bob;password={}", "host=db user=a password={} dbname=x", "| db | password: {} |"),
    "| user | password |\n|---|---|\n| root | {} |",
    *("| Password | {} |", "Username: maren, Password: {}, Host: x", "The root password is {}."),
    *("passphrase for the backup key: {}", "login: maren / {}", "Passwort: {}", "Mot de passe : {}", "пароль: {}"),
    *("パスワード：{}", "machine x.io login maren password {}", "curl -u maren:{} https://x.io"),
    *("curl -u 'maren:{}' https://x.io", "sshpass -p {} ssh pi@x.io", "mysql -u root -p{} ledger"),
    *("redis-cli -a {} info", "docker login -u bot -p {} x.io", "htpasswd -bc .htpasswd admin {}"),
    *('net use Z: "{}" /user:maren', "echo '{}' | sudo -S ls", "openssl enc -pass pass:{} -in x"),
    *("keytool -storepass {} -list", "tool login --password={} --realm x"),
    'ConvertTo-SecureString "{}" -AsPlainText',
    "GRANT ALL ON x TO 'a' IDENTIFIED BY '{}';",
    *("CREATE USER a WITH PASSWORD '{}';", "snmp-server community {} RO", "enable secret 0 {}"),
    *('smtp.login("notify", "{}")', 'requests.get(url, auth=("svc", "{}"))', "define('AUTH_SECRET', '{}');"),
    *('<add key="SmtpPassword" value="{}" />', '<property name="password">{}</property>'),
    'variable "db_password" {{\n  type = string\n  default = "{}"\n}}',
    *("- name: API_TOKEN\n  value: {}", '{{\\"password\\": \\"{}\\"}}', "${{DB_PASSWORD:-{}}}"),
    *("redis://:{}@cache:6379/0", 'dsn := "a:{}@tcp(db:3306)/x"'),
    "jdbc:postgresql://db/x?user=a&password={}",
    "db:5432:ledger:app:{}",
]


@cases("place", PLACES)
def test_a_password_is_hidden_wherever_one_is_put(place: str) -> None:
    text = f"before\n{place.format(WORD)}\r\nafter é"
    hidden, found = redact(text)
    assert WORD not in hidden
    assert hidden.startswith("before\n")
    assert hidden.endswith("\r\nafter é")
    assert len(found) == 1


@cases(
    "place",
    [
        *("https://x.io/a?access_token={}&b=1", "https://x.io/a?sv=1&sig={}", "Set-Cookie: sessionid={}; HttpOnly"),
        *("Cookie: a=1; PHPSESSID={}", 'key = Buffer.from("{}", "hex")', 'secret: Optional[str] = "{}"'),
        *('curl -H "x-auth-token: {}"', "AccountName=a;AccountKey={};Suffix=x", "FERNET_KEY={}"),
        *("https://{}@github.com/a/b.git", "//npm.x.io/:_auth={}"),
        "aws configure set aws_secret_access_key {}",
    ],
)
def test_a_token_is_hidden_wherever_one_is_put(place: str) -> None:
    assert CODE not in redact(place.format(CODE))[0]


@cases(
    ("text", "secret"),
    [
        ("The alarm PIN is 249388, please", "249388"),
        ("seed phrase: " + " ".join(["ribbon", "copper", "velvet"] * 4), "ribbon"),
        ("Password: pelican-glacier-turnip", "pelican"),
        (f"-----BEGIN RSA PRIVATE KEY-----\n{PEM_BODY}", "MIIEow"),
        (f"key: |\n  -----BEGIN EC PRIVATE KEY-----\n  {PEM_BODY[:60]}\n  {PEM_BODY[:60]}\n", "MIIEow"),
        ("Private-Lines: 1\nMIIEowAb1Ab1Ab1Ab1Ab1Ab1\nPrivate-MAC: 1", "MIIEow"),
        ("Private-Lines: 1\nPrivate-Lines: 1\nMIIEowAb1Ab1Ab1Ab1Ab1Ab1\n", "MIIEow"),
        ("Authorization: Basic bWFyZW46R3Jhbml0ZS1Gb3gtNzE=", "bWFyZW46"),
    ],
)
def test_other_secrets_are_hidden(text: str, secret: str) -> None:
    assert secret in text
    assert secret not in redact(text)[0]


@cases(
    "text",
    [
        *("AKIA" + "A1B2C3D4E5F6G7H", "AKIA" + "A1B2C3D4E5F6G7H8I", "AKIA" + "a1b2c3d4e5f6g7h8"),
        *("xAKIA" + "A1B2C3D4E5F6G7H8", "ghp_" + A35, "ghx_" + A36, "github_pat_" + A22, "glpat-" + "short"),
        "xoxb-your-token",
        "https://hooks.slack.com/services/T000/B000/XXX",
        *("sk-ant-short", "sk-proj-your-key", "task-proj-" + A24, "AIza" + A24, "sk_test_" + A24),
        *("sk_live_" + "short", "npm_install", "npm_" + A35, "pypi-AgEshort", "hf_transfer", "eyJ" + A20),
        *(f"eyJ{A20}.{A24}.{A24}", _pem("PUBLIC KEY"), _pem("CERTIFICATE"), "-----BEGIN PRIVATE KEY-----"),
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        *("postgres://user:password@localhost/db", "postgres://user:${PASSWORD}@localhost/db"),
        *("postgres://user:<password>@localhost/db", "https://example.com:8080/path@x", "https://user@example.com/"),
        "git@github.com:owner/name.git",
        "see https://a.example/x and b: c@d.example",
        *("postgres://postgres:postgres@db:5432/app", "POSTGRES_PASSWORD: postgres"),
        *("MINIO_ROOT_PASSWORD=minioadmin", "DB_PASSWORD=local_dev_password", 'const password = "admin123"'),
        *('const apiKey = "sk-1234567890abcdef"', "api_key: sk-abc123...", "ghp_" + "x" * 36),
        "AKIA" + "IOSFODNN7EXAMPLE",
        "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
        "Authorization: Basic dXNlcjpwYXNzd29yZA==",
        "Authorization: Bearer $TOKEN",
        "spring.datasource.password=@Microsoft.KeyVault(SecretUri=https://x)",
        *("DB_PASSWORD=op://prod/db/password", 'secret="OPENAI_GATEWAY_SECRET"'),
        '"nextPageToken": "CAUQ7U5xdsho6UxRXJJVlCoFlYEkz3Hd"',
        *('"max_tokens": 180000', "password = config.password", "token = base64url(hmac)"),
        *("ForgotPassword: 'forgot-password'", "Password length: 16, entropy: 95.4 bits"),
        *("The token encoding is o200k_base", "pass `use_tracing=False` to skip it"),
        "#session:977ff594 #branch:main",
        "password: ENC[AES256_GCM,data:Tr7o1,iv:1,tag:2,type:str]",
        "password_hash: 9f2c7d1e8a3b6054c4d1e9f7a8b2c6d3",
        "| password | string | required |",
        'password: "!@#$%^*(){}:+=~^!@#$%^*(){}"',
    ],
)
def test_what_only_looks_like_one_is_left_alone(text: str) -> None:
    assert find_secrets(text) == []
    assert redact(text) == (text, [])


def test_each_of_several_is_replaced_and_the_rest_stays() -> None:
    key, token = "AKIA" + "A1B2C3D4E5F6G7H8", "ghp_" + A36
    shown = "a [redacted: aws-key] b [redacted: github-token]\n[redacted: aws-key]"
    assert redact(f"a {key} b {token}\n{key}")[0] == shown
    text = f"{_pem('RSA PRIVATE KEY')}\nbetween\n{_pem('EC PRIVATE KEY')}\n"
    assert redact(text)[0] == "[redacted: private-key]\nbetween\n[redacted: private-key]\n"


@given(nasty, nasty)
def test_redacted_text_holds_no_secret(before: str, after: str) -> None:
    redacted, found = redact(f"{before} {'AKIA' + 'A1B2C3D4E5F6G7H8'} {after}")
    assert len(found) == 1
    assert find_secrets(redacted) == []
    assert redact(redacted) == (redacted, [])


# fmt: off
_PIECES = st.sampled_from([
    "password", "api_key", "token", "secret", " pin", "login", "wifi", "://", "@", "user", ":", " ", "=", "\n", '"', "'", "`",
    "|", "\n|---|---|\n", "(", ")", "[", "]", ",", ";", "&", " is ", " -p ", " -u ", "mysql", "é", "\r\n", "...", WORD, CODE,
    "4821", "value=", "name: ", "bearer ", "echo ", "| sudo -S x", "[redacted: token]", "sig=", "/",
    "AKIA" + "A1B2C3D4E5F6G7H8", "-----BEGIN PRIVATE KEY-----", PEM_BODY, "-----END PRIVATE KEY-----",
])
# fmt: on


@given(st.lists(_PIECES, max_size=14).map("".join), st.integers(0, 60), st.integers(0, 60))
def test_what_is_redacted_stays_so_and_no_piece_shows_a_secret(text: str, start: int, size: int) -> None:
    hidden, found = redact(text)
    assert redact(hidden) == (hidden, [])
    assert all(left.end <= right.start for left, right in pairwise(found))
    piece, count = redacted(text, found, start, start + size)
    cut = [each for each in found if each.start < start + size and each.end > start]
    assert count == len(cut)
    assert piece.count("[redacted: ") >= len(cut)


@cases(
    "piece",
    [
        *("sk-", "eyJ", "-----BEGIN PRIVATE KEY-----", "://a:", "xoxb-", "pw=1", "password is ", "key=a1"),
        *("|pass|\n|---|\n", f"password: {WORD}\n", " -p a1", "login: 1/", 'auth("a",', "value=1", "a1b2-" * 9),
        *("Private-Lines: 1\nA\n", "clave://u:p1@", "pscale_pw_://u:p1@", "clave://u:p1@\n"),
    ],
)
def test_near_misses_in_bulk_are_searched_in_bounded_time(piece: str) -> None:
    text = piece * (50_000 // len(piece))
    start = process_time()
    find_secrets(text)
    assert process_time() - start < 2


def test_a_text_in_which_each_replacement_reveals_another_secret_shows_none() -> None:
    text = f"first\n{'clave://u:p1@' * 300}last\n"
    shown, found = redact(text)
    assert not find_secrets(shown)
    assert "p1@" not in shown
    assert len(found) < 10


def test_a_text_that_was_searched_is_not_searched_again() -> None:
    text = "".join(f"token of {number}: k{number}X9f{number}qZ2\n" for number in range(9_000))
    start = process_time()
    found = find_secrets(text)
    between = process_time()
    again = find_secrets("".join(text))
    assert again == found
    assert process_time() - between < (between - start) / 5
    again.clear()
    assert find_secrets(text) == found


@cases("prefix", ["sk_live_", "ghp_", "glpat-", "npm_", "hf_", "xoxb-", "sk-ant-api-", "sk-proj-"])
@cases("around", ["{}", "key: {}", "Use `{}` here."])
def test_a_credential_whose_random_part_has_no_digit_is_found(prefix: str, around: str) -> None:
    letters = "qLWgtRcYmZbNXfkHvDsJpTnGxKwBrVhMdFzQ"
    key = "AKIA" + "ZXDXPBZXDFHMSKTX"
    assert key not in redact(around.format(key))[0]
    assert letters not in redact(around.format(prefix + letters))[0]


@cases(
    "secret",
    [
        "glpat-" + "YAGGvVvoIn6BXXXxwvHG",
        "ghp_" + "a7Rk2mQxXxX9dT4vWc8LbN1sJf6HgZ0yPe3u",
        "npm_" + "q123456Wd9RkVbTz4mXcJ8sLfHgN2yPe7uAo",
        "dop_v1_" + "7f3abcdef019c2e84b6d5a1907c3e8f2b4d6a0915c7e3f8b2d4a6c0e9f1b3d57",
        "glpat-" + "q____Wd9RkVbTz4mXcJ8",
        "glpat-" + "qWdRkVbtestzHmXcJsLf",
        "SG.q-xxxxWd9RkVbTz4mXcJ8s.7f3aWd9RkVbTz4mXcJ8sLfHgN2yPe7uAoQwErTyUi",
    ],
)
def test_random_letters_that_look_like_filler_are_no_placeholder(secret: str) -> None:
    assert secret not in redact(f"key: {secret}\n")[0]
    assert secret not in redact(f"Use `{secret}` here.")[0]


@cases(
    "value",
    [
        *("glpat-" + "xxxxxxxxxxxxxxxxxxxx", "glpat-" + "____________________"),
        "ghp_" + "1a2bXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
        "ghp_" + "1234567890abcdefghijklmnopqrstuvwxyz",
        "npm_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789",
        *("sk_live_" + "abcdefghijklmnopqrstuvwx", "AKIA" + "1234567890ABCDEF", "AKIA" + "IOSFODNN7XXXXXXX"),
        *("xoxb-" + "123456789012-XXXX-abcdefghij", "sk-ant-" + "yourGitlabTokenGoesHere"),
        "dop_v1_" + "0123456789abcdef" * 4,
        "napi_get_" + "threadsafe_function_context",
    ],
)
def test_a_known_shape_that_is_filled_up_is_a_placeholder(value: str) -> None:
    assert redact(f"Use `{value}` here.")[1] == []


@cases(
    "text",
    [
        "user,password,role\nann,{},admin\n",
        'id;"db_password";role\n7;"{}";admin\n',
        "name\tapi_key\nann\t{}\n",
        "password: >-\n  {}\nother: x\n",
        "db_password: |\n    {}\n",
    ],
)
def test_a_password_below_its_name_is_found(text: str) -> None:
    secret = "Orchid7" + "Lantern42x9Q"
    assert secret not in redact(text.format(secret))[0]


MANIFEST = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\n  labels:\n    a: x\n    b: y\n    c: z\n"


@pytest.mark.parametrize("text", [f"{MANIFEST}data:\n  connection: {{}}\n", "kind: Secret\r\ndata:\r\n  a.b: {}\r\n"])
def test_the_data_of_a_kubernetes_secret_is_hidden(text: str) -> None:
    for secret in (WORD, CODE):
        encoded = b64encode(secret.encode()).decode()
        assert encoded not in redact(text.format(encoded))[0]
        assert secret not in redact(text.replace("data:", "stringData:").format(secret))[0]
        assert encoded not in redact(f"# Setup\n\n```yaml\n{text.format(encoded)}```\n")[0]


@cases(
    "text",
    [
        f"{MANIFEST}data:\n  user: YWRtaW4=\n  port: NTQzMg==\n  host: ZGIuaW50ZXJuYWw=\n",
        MANIFEST + "data:\n  key: {{ .Values.key | b64enc }}\n  other: <base64>\n",
        f"kind: ConfigMap\ndata:\n  connection: {CODE}\n---\n{MANIFEST}type: Opaque\n",
        f"```yaml\n{MANIFEST}```\n\n```yaml\ndata:\n  commit: {CODE}\n```\n",
        f"{MANIFEST}data:\n  tls.crt: {b64encode(_pem('CERTIFICATE').encode()).decode()}\n",
        "| name | password |\n|---|---|\n| a | Optional[str] |\n| b | <your1Password> |\n| c | ${DB_Pass1} |\n",
        # Words below a name of secrets.
        *("user, password, token\nare three words of 2026\n", "password,\n  Orchid7,\n"),
        "password: >-\n  Orchid7 Lantern42 are flowers and lamps\n",
        "user,password,role\nann,,admin\nbob,changeme,dev\n",
    ],
)
def test_what_a_manifest_or_a_table_says_besides_is_left_alone(text: str) -> None:
    assert redact(text)[1] == []


@pytest.mark.parametrize("secret", ["Gm[H]I]8j?-y4", "C(K+!IQg+sRcO9N", "a<Tz>VXry;=1-(", "v{8#vGtzEe>$sBp"])
def test_an_odd_password_in_a_table_is_hidden(secret: str) -> None:
    assert secret not in redact(f"| user | password |\n|---|---|\n| root | {secret} |\n")[0]
    assert secret not in redact(f"user\tpassword\nroot\t{secret}\n")[0]


@given(st.tuples(nasty, st.one_of(nasty, st.from_regex(HEADING)), nasty).map("".join))
def test_a_heading_of_values_is_seen_in_one_pass(text: str) -> None:
    assert bool(any_heading()(text.encode("utf-8", "surrogatepass"))) or not HEADING.search(text)


_WORDS = [*NAMES, *by_anchor()]


@given(st.lists(st.sampled_from(_WORDS) | st.binary(max_size=4), max_size=12).map(b"".join))
def test_one_pass_finds_the_words_that_a_search_for_each_finds(lowered: bytes) -> None:
    names, anchors = present(lowered)
    assert names == [name for name in NAMES if name in lowered]
    assert anchors == [anchor for anchor in by_anchor() if anchor in lowered]


@pytest.mark.parametrize(
    "text", ["Token contract address: {}", "token contract is {}", 'token: "0x{}"', "API token hash: {}"]
)
def test_the_address_of_a_token_is_public(text: str) -> None:
    value = _made(40, "0123456789abcdef") if "0x" in text else _made(44)
    assert not find_secrets(text.format(value))
    assert find_secrets(f"token: {value}")


@pytest.mark.parametrize("text", ["Password hash: {}", "The token address book needs the token {}", "token: 0x{}"])
def test_a_secret_beside_such_words_is_one(text: str) -> None:
    assert find_secrets(text.format(_made(44)))
