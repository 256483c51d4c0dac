"""Who may use the served app."""

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.serve.server import Guard
from tests.cases import cases

HERE = "127.0.0.1:8000"


@cases("host", ["127.0.0.1", "127.0.0.1:8000", "localhost:9", "[::1]:8000"])
def test_the_token_opens_one_browser_once(host: str) -> None:
    guard = Guard(8000)
    assert guard.judge({"Host": host}, "", None, False) == "unknown"
    assert guard.judge({"Host": host}, "", guard.token, False) == "welcome"
    assert guard.judge({"Host": host}, "", guard.token, False) == "used"
    assert guard.judge({"Host": host}, guard.secret, None, False) == "enter"


_FOREIGN = "127.0.0.1.example.org localhost.example.org 127.0.0.1:8000@x 10.0.0.2:8000 0.0.0.0 example.org".split()


@cases("host", ["", *_FOREIGN])
def test_other_names_of_this_machine_are_refused(host: str) -> None:
    guard = Guard(8000)
    assert guard.judge({"Host": host}, guard.secret, guard.token, False) == "forbidden"
    assert guard.judge({"Host": HERE}, "", guard.token, False) == "welcome", "a refused request uses nothing up"


@cases("origin", ["null", "http://example.org", "https://127.0.0.1:8000", "http://127.0.0.1:8001", ""])
def test_pages_of_others_are_refused_even_with_the_cookie(origin: str) -> None:
    guard = Guard(8000)
    for is_socket in (False, True):
        assert guard.judge({"Host": HERE, "Origin": origin}, guard.secret, None, is_socket) == "forbidden"


def test_a_socket_says_which_page_it_belongs_to_and_brings_its_key() -> None:
    guard = Guard(8000)
    own = {"Host": HERE, "Origin": f"http://{HERE}"}
    brought = {"Sec-WebSocket-Protocol": f"ctxtui, {guard.key}"}
    assert guard.judge({"Host": HERE} | brought, guard.secret, None, True) == "forbidden"
    assert guard.judge(own | brought, guard.secret, None, True) == "enter"
    assert guard.judge(own | brought, "", None, True) == "unknown"


@cases("said", ["", "ctxtui", "ctxtui, none", "ctxtui, {secret}", "ctxtui, {token}", "{key}, x"])
def test_the_cookie_alone_opens_no_socket(said: str) -> None:
    guard = Guard(8000)
    headers = {"Host": HERE, "Origin": f"http://{HERE}"}
    headers["Sec-WebSocket-Protocol"] = said.format(secret=guard.secret, token=guard.token, key=guard.key)
    assert guard.judge(headers, guard.secret, None, True) == "unknown"


@given(st.text(max_size=60), st.text(max_size=60))
def test_nothing_else_opens_it(cookie: str, token: str) -> None:
    guard = Guard(8000)
    assert guard.judge({"Host": HERE}, cookie, token, False) == "unknown"
    assert guard.judge({"Host": HERE}, guard.token, guard.secret, False) == "unknown"
