"""Targets of the provider `mcp`: commands and URLs, from code and from the user's configuration."""

from typing import Any

import pytest

from ctxtui.core.base.errors import ContextError
from ctxtui.retrieval.client.provider import McpProvider
from ctxtui.retrieval.client.target import McpTarget, target_of, targets_from
from tests.cases import cases


def test_targets_of_a_configuration() -> None:
    found = targets_from(
        {
            "engine": {"command": "engine mcp 'a b'", "env": {"X": "y"}, "cwd": "/srv", "timeout": 3},
            "words": {"command": ["engine", "a b"]},
            "remote": {"url": "https://host/mcp", "token_env": "T", "headers": {"X-Team": "a"}},
            "local": {"url": "http://[::1]:8000/mcp", "token": "t"},
        }
    )
    assert found["engine"] == McpTarget(("engine", "mcp", "a b"), env={"X": "y"}, cwd="/srv", timeout=3.0)
    assert found["words"].command == ("engine", "a b")
    assert (found["remote"].url, found["remote"].token_env) == ("https://host/mcp", "T")
    assert [target.is_local for target in found.values()] == [True, True, False, True]
    assert targets_from({}) == {}
    # Secrets are not shown.
    assert "letmein" not in repr(McpTarget(url="https://host/mcp", token="letmein", headers={"X": "letmein"}))


@cases(
    ("values", "message"),
    [
        (3, "should be a table"),
        ({}, "either a command or a URL"),
        ({"command": "a", "url": "http://127.0.0.1/"}, "either a command or a URL"),
        ({"comand": "a"}, "unknown key `comand`"),
        ({"tokn_env": "x"}, "did you mean `token_env`?"),
        ({"command": 3}, "command` should be"),
        ({"command": ["a", 3]}, "command[1]` should be"),
        ({"command": ""}, "not a command"),
        ({"command": "a 'b"}, "not a command"),
        ({"command": ["", "x"]}, "blank"),
        ({"command": ["a\0b"]}, "NUL"),
        ({"command": "a", "token": "t"}, "takes no headers or token"),
        ({"command": "a", "env": {"X": 1}}, "engine.env.X` should be"),
        ({"command": "a", "timeout": 0}, "a timeout of 0.0 seconds"),
        ({"command": "a", "timeout": float("nan")}, "a timeout of nan"),
        ({"command": "a", "timeout": "3"}, "timeout` should be"),
        ({"url": "ftp://host/"}, "not a URL"),
        ({"url": "http://"}, "not a URL"),
        ({"url": "http://host:x/"}, "not a URL"),
        ({"url": " "}, "url` should be"),
        ({"url": "https://me:letmein@host/"}, "must not contain credentials"),
        ({"url": "http://host/mcp", "token": "t"}, "plain HTTP"),
        ({"url": "http://localhost.evil/mcp", "headers": {"X": "y"}}, "plain HTTP"),
        ({"url": "https://host/mcp", "token": "t", "token_env": "T"}, "mutually exclusive"),
    ],
)
def test_what_cannot_be_used_is_named(values: Any, message: str) -> None:
    with pytest.raises(ContextError) as caught:
        targets_from({"engine": values})
    assert caught.value.category == "invalid_request"
    assert caught.value.message.startswith("[mcp]: `engine")
    assert message in f"{caught.value.message}; {caught.value.hint}"
    assert "letmein" not in caught.value.message


def test_targets_in_code() -> None:
    assert target_of("http://127.0.0.1:1/mcp", token="t").url == "http://127.0.0.1:1/mcp"
    assert target_of("engine; rm -rf / && $HOME").command == ("engine;", "rm", "-rf", "/", "&&", "$HOME")
    assert target_of(["engine"]).command == ("engine",)
    for wrong in ("", [], "http://host/"):
        with pytest.raises(ContextError):
            McpProvider(wrong, token="t")
