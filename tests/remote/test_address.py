"""Addresses of remote projects: what is read from them, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core.base.errors import ContextError
from ctxtui.core.disk.remote.address import PROTOCOLS, Address, is_address, read_address
from tests.cases import cases


@cases(
    ("word", "expected"),
    [
        ("github:acme/api", Address("https://github.com/acme/api", "", "")),
        ("gitlab:acme/group/api@v1.2", Address("https://gitlab.com/acme/group/api", "v1.2", "")),
        ("https://git.example.org/acme/api.git", Address("https://git.example.org/acme/api.git", "", "")),
        ("https://example.org/acme/api@main//docs/x", Address("https://example.org/acme/api", "main", "docs/x")),
        ("https://example.org/acme/api@feature/x", Address("https://example.org/acme/api", "feature/x", "")),
        ("https://me@example.org:8443/acme/api", Address("https://me@example.org:8443/acme/api", "", "")),
        ("git@example.org:acme/api.git", Address("ssh://git@example.org/acme/api.git", "", "")),
        ("github:acme/api//./docs/", Address("https://github.com/acme/api", "", "docs")),
    ],
)
def test_an_address_has_a_url_a_ref_and_a_folder(word: str, expected: Address) -> None:
    assert is_address(word)
    assert read_address(word) == expected


@cases(
    "word",
    [
        *("https://", "https:///api", "https://example.org", "https://example.org/", "github:/acme/api"),
        *("https://-oProxyCommand=x/api", "ssh://-oProxyCommand=x/api", "ext::sh -c x", "file:///etc"),
        *("https://me:secret@x.org/a/b", "https://x.org/a/b@", "https://x.org/a/b@--upload-pack=x"),
        *("https://x.org/a/b@a..b", "https://x.org/a/b@x:y", "https://x.org/a/b//../..", "https://x.org/a/.."),
        *("https://x.org/a/b//docs/../../x", "https://x.org/a/b?x=1"),
        *("https://x.org:99999/a/b", "https://x.org/a/a b", "https://x.org/a/a\x1b[2J"),
    ],
)
def test_what_is_no_address_is_refused(word: str) -> None:
    with pytest.raises(ContextError) as caught:
        read_address(word)
    assert caught.value.hint
    assert "secret" not in caught.value.message


@cases("word", [".", "src", "C:\\work", "a:b", "host:22/x", "file:///etc", "ext::sh", "-oX@h:p"])
def test_folders_are_no_addresses(word: str) -> None:
    assert not is_address(word)


@given(st.text(max_size=60), st.sampled_from(["", "github:", "https://", "ssh://", "git@example.org:"]))
def test_git_never_gets_an_option_or_another_protocol(text: str, prefix: str) -> None:
    try:
        address = read_address(prefix + text)
    except ContextError:
        return
    assert address.url.partition("://")[0] in PROTOCOLS
    assert not address.ref.startswith("-")
    assert ":" not in address.ref
    assert ".." not in address.folder.split("/")
    assert "/" not in address.name
    assert address.name not in ("", ".", "..")
