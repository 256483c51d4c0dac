"""Addresses of remote projects: `https://host/owner/repo[@ref][//folder]`, `github:owner/repo`, or git's own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from ctxtui.core.base.errors import invalid

if TYPE_CHECKING:
    from urllib.parse import SplitResult

PROTOCOLS: Final = ("https", "http", "git", "ssh")
"""The protocols of a fetch, never `file`."""

_HOSTS: Final = {"github": "github.com", "gitlab": "gitlab.com", "codeberg": "codeberg.org"}
_LONGEST: Final = 2_000
_SHORT = re.compile(r"(github|gitlab|codeberg):(?=[^/])")
_LONG = re.compile(r"(?:https|http|git|ssh)://")
_LOCAL = re.compile(r"file://(?:localhost)?(/.*)", re.DOTALL)
# Git's own short form for ssh.
_SECURE_SHELL = re.compile(r"(?!-)([A-Za-z0-9._-]+@[A-Za-z0-9][A-Za-z0-9.-]*):(?=[^/\d])")
# The rules of `git check-ref-format`, without the characters that end an `@ref`.
_REF = re.compile(r"(?!-)(?!.*\.\.)(?!.*@\{)[^\s~^:?*\[\\\x00-\x1f\x7f]{1,250}(?<![./])(?<!\.lock)")
_HINT = "write https://host/owner/repo, with @branch and //folder if wanted, or github:owner/repo"


class Address(NamedTuple):
    """The source of a project: a URL for git, a branch, tag or commit ("": the default branch), a folder."""

    url: str
    ref: str
    folder: str

    @property
    def name(self) -> str:
        """The last part of the URL's path, without `.git`."""
        return _split(self.url).path.rstrip("/").rpartition("/")[2].removesuffix(".git")

    @property
    def shown(self) -> str:
        """Host, port and path, and the ref after `@`, without user or password."""
        parts = _split(self.url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
        return f"{host}{port}{parts.path.rstrip('/').removesuffix('.git')}" + (f"@{self.ref}" if self.ref else "")


def is_address(word: str) -> bool:
    """Whether a word names a remote project rather than a folder."""
    return any(pattern.match(word) for pattern in (_SHORT, _LONG, _SECURE_SHELL))


def local_path(word: str) -> str:
    """The path in a `file:` address of this machine. Other words are unchanged."""
    from urllib.parse import unquote  # noqa: PLC0415 - as below

    found = _LOCAL.fullmatch(word)
    return unquote(found[1]) if found else word


def read_address(word: str) -> Address:
    """Parse an address. Raises ContextError (invalid_request) for any other word."""
    if len(word) > _LONGEST or not word.isprintable() or any(each.isspace() for each in word):
        raise invalid("an address has a space or a sign that cannot be shown", hint=_HINT)
    short, shell = _SHORT.match(word), _SECURE_SHELL.match(word)
    whole = f"https://{_HOSTS[short[1]]}/{word[short.end() :]}" if short else word
    whole = f"ssh://{shell[1]}/{word[shell.end() :]}" if shell else whole
    found = _LONG.match(whole)
    if found is None:
        raise invalid(f"not the address of a project: {word}", hint=_HINT)
    place, _, folder = whole[found.end() :].partition("//")
    host, slash, path = place.partition("/")
    path, at, ref = path.partition("@")
    if at and not ref:
        raise invalid(f"no branch, tag or commit after @: {whole[found.end() :]}", hint=_HINT)
    url = f"{found[0]}{host}{slash}{path}"
    _check(word, url, host, path)
    if ref and not _REF.fullmatch(ref):
        raise invalid(f"not a branch, tag or commit: {ref}", hint=_HINT)
    steps = [step for step in folder.split("/") if step not in ("", ".")]
    if ".." in steps:
        raise invalid(f"{folder} leads out of the project", hint=_HINT)
    return Address(url, ref, "/".join(steps))


def _check(word: str, url: str, host: str, path: str) -> None:
    """Raise ContextError (invalid_request) unless a URL names a repository, without a password."""
    try:
        parts = _split(url)
        is_whole = not (parts.hostname or "-").startswith("-") and parts.port != 0
    except ValueError:
        is_whole = False
    if not is_whole or host.startswith("-"):
        raise invalid(f"not the address of a project: {word}", hint=_HINT)
    if parts.password is not None:
        hint = "leave it out; git asks its own helpers for credentials"
        raise invalid("the address has a password in it", hint=hint)
    if parts.query or parts.fragment or not path.strip("/") or path.rstrip("/").endswith("/.git"):
        raise invalid(f"not the address of a repository: {word}", hint=_HINT)
    if Address(url, "", "").name in ("", ".", ".."):
        raise invalid(f"not the address of a repository: {word}", hint=_HINT)


def _split(url: str) -> SplitResult:
    # Few commands name a remote project, and the import takes as long as that of the parser of options.
    from urllib.parse import urlsplit  # noqa: PLC0415

    return urlsplit(url)
