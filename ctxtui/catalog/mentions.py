"""Mentions of files in prose and tables, and the catalog files that they refer to."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from ctxtui.catalog.library import file_id
from ctxtui.catalog.metadata import INDEX
from ctxtui.catalog.text_match import words

_RUN = re.compile(r"[\w./{}-]+")
_LINK = re.compile(r"\[([^\[\]]*)\]\(([^()]*)\)")
_ALL = re.compile(r"\ball\b([\w\s/.-]{0,60})\bfiles?\b", re.IGNORECASE)
_BOTH = re.compile(r"\s*both\b", re.IGNORECASE)
_UNSPECIFIC = frozenset("context of the pattern relevant matching".split())


@dataclass(frozen=True, slots=True)
class Resolver:
    """The files that mentions can refer to, by domain, as seen from one domain."""

    domain: str
    names: Mapping[str, Collection[str]]

    def resolve(self, mention: str) -> str | None:
        """The id of a mentioned file, in its own domain or else in the first domain with that file, or None."""
        parts = mention.removesuffix(".md").replace("{domain}", self.domain).split("/")
        up = ".." in parts
        parts = [part for part in parts if part not in ("", ".", "..")]
        if not parts:
            return None
        name = parts[-1]
        if len(parts) > 1:
            known = (domain for domain in ("/".join(parts[:-1]), parts[-2]) if name in self.names.get(domain, ()))
            return next((file_id(domain, name) for domain in known), None)
        if up:
            return None
        if name in self.names.get(self.domain, ()):
            return file_id(self.domain, name)
        # Every domain has an index, so a mention without a folder means the domain's own.
        others = () if name == INDEX else sorted(self.names)
        return next((file_id(each, name) for each in others if each and name in self.names[each]), None)

    def resolve_all(self, text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The ids of the files that a text names, in order, then those behind phrases such as `All testing files`.

        The second tuple has the names without a folder that no file of the catalog has.
        """
        found: dict[str, None] = {}
        missing: dict[str, None] = {}
        for mention in mentions(text):
            id_ = self.resolve(mention)
            if id_ is not None:
                found[id_] = None
            elif "/" not in mention and mention.removesuffix(".md") not in self.names.get("", ()):
                missing[mention] = None
        found |= dict.fromkeys(self._phrases(text))
        return tuple(found), tuple(missing)

    def _phrases(self, text: str) -> Iterator[str]:
        """The ids of the domain's files that `Both` or `All testing files` mean."""
        own = sorted(name for name in self.names.get(self.domain, ()) if name != INDEX)
        if _BOTH.match(text) and len(own) == 2:
            yield from (file_id(self.domain, name) for name in own)
        for match in _ALL.finditer(text):
            wanted = {_stem(word) for word in words(match[1])} - _UNSPECIFIC - {_stem(self.domain)}
            for name in own:
                if wanted and wanted & {_stem(word) for word in words(name)}:
                    yield file_id(self.domain, name)


def mentions(text: str, bare: bool = False) -> Iterator[str]:
    """File names with `.md` in a text, with their folders. With `bare`, also `folder/name`."""
    for match in _RUN.finditer(_LINK.sub(_link_text, text)):
        run = match[0].rstrip(".-")
        if (run.endswith(".md") and len(run) > 3) or (bare and "/" in run.strip("/")):
            yield run


def _link_text(match: re.Match[str]) -> str:
    """The text that replaces a link: its own text if that names a file, else its target unless external."""
    named = ".md" in match[1] or "://" in match[2] or ".md" not in match[2]
    return f" {match[1] if named else match[2]} "


def _stem(word: str) -> str:
    """One stem for `testing` and `tests`."""
    return word.removesuffix("ing")
