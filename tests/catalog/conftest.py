"""Catalogs made of dictionaries, with the notices of their provider."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from ctxtui import Notice
from ctxtui.catalog import ContextReference, MarkdownFileContextProvider
from tests.conftest import Project

FULL = (
    "---\nid: {id}\ndomain: {domain}\ntitle: {title}\ntype: {type}\nestimatedTokens: {tokens}\n"
    "loadingStrategy: {strategy}\n{more}---\n{body}"
)


@dataclass
class Made:
    """A provider over a folder of its own, and what it told."""

    root: Path
    provider: MarkdownFileContextProvider
    notices: list[Notice]

    @property
    def codes(self) -> list[str]:
        return [notice.code for notice in self.notices]

    def reference(self, file: str = "a", domain: str = "x") -> ContextReference:
        found = self.provider.get_reference(domain, file)
        assert found is not None
        return found


Make = Callable[..., Made]
Doc = Callable[..., str]


@pytest.fixture
def make(project: Project) -> Make:
    def build(files: Mapping[str, str | bytes], max_files: int = 6) -> Made:
        root = project(files)
        notices: list[Notice] = []
        return Made(root, MarkdownFileContextProvider(root, max_files=max_files, on_notice=notices.append), notices)

    return build


def text(
    path: str,
    body: str = "# Body\n",
    more: str = "",
    kind: str = "pattern",
    strategy: str = "onDemand",
    tokens: object = 100,
    title: str = "A title",
    domain: str | None = None,
) -> str:
    """A file with intact metadata, as its path demands."""
    domain = domain or path.rpartition("/")[0]
    values = {"id": path, "domain": domain, "title": title, "type": kind, "tokens": tokens, "strategy": strategy}
    return FULL.format(**values, more=more, body=body)


@pytest.fixture
def doc() -> Doc:
    return text


@pytest.fixture
def forge(corpora: Path) -> Path:
    return corpora / "forge-v030" / "forge-plugin" / "context"


@pytest.fixture
def footers(corpora: Path) -> Path:
    return corpora / "forge-pre" / "forge-plugin" / "context"
