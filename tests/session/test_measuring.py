"""Measuring by a vendor's endpoint, against a local server that speaks the documented protocols."""

import traceback
from collections.abc import Iterator

import pytest

from ctxtui.core import ContextError, get_counter
from ctxtui.core.tokens.ledger import Ledger
from ctxtui.core.tokens.whole import count_whole
from ctxtui.session.delivery.measuring import measure, request_for
from tests.cases import cases
from tests.vendors import Vendors, serving

TEXT = "# Orders\n\nNever charge a card twice. Übung\n"


@pytest.fixture
def vendors() -> Iterator[Vendors]:
    with serving() as state:
        yield state


@pytest.fixture
def ledger() -> Ledger:
    return Ledger(None, "")


def test_each_vendor_is_asked_as_it_documents(vendors: Vendors, ledger: Ledger) -> None:
    def measured(model: str, answer: bytes, **key: str) -> tuple[int, str, dict, dict]:
        vendors.answer = lambda _path: (200, {}, answer)
        environment = vendors.environment(**key)
        return measure(request_for(model, TEXT, environment), ledger, environment), *vendors.seen[-1]

    tokens, path, headers, body = measured("claude-opus-5", b'{"input_tokens": 21}', ANTHROPIC_API_KEY="key-1")
    assert (tokens, path) == (21, "/v1/messages/count_tokens")
    assert (headers["x-api-key"], headers["anthropic-version"]) == ("key-1", "2023-06-01")
    assert body == {"model": "claude-opus-5", "messages": [{"role": "user", "content": TEXT}]}
    answer = b'{"object": "response.input_tokens", "input_tokens": 17}'
    tokens, path, headers, body = measured("openai/gpt-6", answer, OPENAI_API_KEY="key-2")
    assert (tokens, path, headers["authorization"]) == (17, "/responses/input_tokens", "Bearer key-2")
    assert body == {"model": "gpt-6", "input": TEXT}
    tokens, path, headers, body = measured("gemini-4-argon", b'{"totalTokens": 15}', GOOGLE_API_KEY="key-3")
    assert (tokens, path) == (15, "/v1beta/models/gemini-4-argon:countTokens")
    assert headers["x-goog-api-key"] == "key-3"
    assert body["contents"][0]["parts"] == [{"text": TEXT}]


def test_a_request_asks_first_and_takes_no_line_end_for_a_part_of_the_key(vendors: Vendors, ledger: Ledger) -> None:
    vendors.answer = lambda _path: (200, {}, b'{"input_tokens": 21}')
    environment = vendors.environment(ANTHROPIC_API_KEY="key-1\r")
    request = request_for("claude-opus-5", TEXT, environment)
    assert "key-1" not in request.question
    assert f"{len(TEXT)} characters" in request.question
    assert "ANTHROPIC_API_KEY" in request.question
    assert not vendors.seen
    assert measure(request, ledger, environment) == 21
    assert vendors.seen[0][1]["x-api-key"] == "key-1"


def test_a_measured_text_is_known_from_then_on(vendors: Vendors, tmp_path) -> None:  # type: ignore[no-untyped-def]
    vendors.answer = lambda _path: (200, {}, b'{"input_tokens": 21}')
    environment = vendors.environment(ANTHROPIC_API_KEY="key-1")
    measure(request_for("claude-opus-5", TEXT, environment), Ledger(tmp_path, "a"), environment)
    counter, again = get_counter("claude-opus-5"), Ledger(tmp_path, "b")
    known = count_whole(TEXT, counter, again)
    assert (known.tokens, known.label) == (21, "measured")
    assert count_whole(f"{TEXT}!", counter, again).label != "measured"
    assert count_whole(TEXT, get_counter("claude-opus-4-1"), again).label != "measured"


@cases(
    ("model", "keys", "said"),
    [
        (None, {}, "no model"),
        ("kimi-k3", {}, "no endpoint is known"),
        ("claude-opus-5", {}, "needs your key of Anthropic"),
        ("claude-opus-5", {"ANTHROPIC_API_KEY": "\r\n"}, "needs your key of Anthropic"),
        ("claude-opus-5", {"ANTHROPIC_API_KEY": "key-1\r\nkey-1"}, "ANTHROPIC_API_KEY has characters"),
        ("claude-opus-5", {"ANTHROPIC_API_KEY": "\u201ckey-1\u201d"}, "ANTHROPIC_API_KEY has characters"),
        ("claude-opus-5", {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "http://192.0.2.7"}, "https"),
        ("claude-opus-5", {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "ftp://localhost"}, "https"),
        ("claude-opus-5", {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": "http://[::1"}, "not a URL"),
    ],
)
def test_what_cannot_be_measured_is_told_and_not_sent(model: str | None, keys: dict[str, str], said: str) -> None:
    with pytest.raises(ContextError, match=said) as caught:
        request_for(model, TEXT, keys)
    assert caught.value.hint
    assert "key-1" not in f"{caught.value.message} {caught.value.hint}"


@cases(
    ("key", "base", "said"),
    [
        ("key-1\nx", "https://127.0.0.1:1", "cannot be asked"),
        ("key-1", "https://a..b/", "cannot be asked"),
        # Nothing listens there.
        ("key-1", "http://127.0.0.1:1", "cannot be reached"),
    ],
)
def test_what_cannot_be_sent_is_told_without_the_key(ledger: Ledger, key: str, base: str, said: str) -> None:
    request = request_for("claude-opus-5", TEXT, {"ANTHROPIC_API_KEY": "k", "ANTHROPIC_BASE_URL": base})
    with pytest.raises(ContextError, match=said) as caught:
        measure(request, ledger, {"ANTHROPIC_API_KEY": key})
    assert "Invalid header" not in "".join(traceback.format_exception(caught.value))
    assert "key-1" not in caught.value.message


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((401, {}, b'{"error": {"message": "invalid \\u001b[31m key"}}'), "answers 401: invalid"),
        ((500, {}, b"<html>"), "answers 500"),
        ((200, {}, b'{"input_tokens": "many"}'), "without a number"),
        ((200, {}, b'{"input_tokens": true}'), "without a number"),
        ((200, {}, b"[" * 100_000), "without a number"),
        ((302, {"location": "http://127.0.0.1:9/elsewhere"}, b""), "answers 302"),
    ],
)
def test_an_endpoint_that_fails_is_told_without_the_key(
    vendors: Vendors, ledger: Ledger, answer: tuple[int, dict[str, str], bytes], said: str
) -> None:
    vendors.answer = lambda _path: answer
    environment = vendors.environment(ANTHROPIC_API_KEY="key-1")
    with pytest.raises(ContextError, match=said) as caught:
        measure(request_for("claude-opus-5", TEXT, environment), ledger, environment)
    assert caught.value.category == "unavailable"
    assert "key-1" not in f"{caught.value.message} {caught.value.hint}"
    assert "\x1b" not in caught.value.message
    assert len(vendors.seen) == 1
