"""The rule about paths in the home folder of one person."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ctxtui.audit.context import Audited
from ctxtui.audit.text.facts import split_lines
from ctxtui.audit.types import Finding, Remedy

_HOME: Final = re.compile(r"(?<![^\s\"'`(=<*])(?:/(?:Users|home)/|[A-Za-z]:\\{1,2}Users\\{1,2})(\w[\w.-]*)[/\\]")
# Homes of machines that everybody has, and names that stand for any.
_ANY: Final = re.compile(
    r"(?:app|admin|agent|build|codespace|coder|container|default|dev|developer|developers|dir|docker|git|home|jenkins"
    r"|jovyan|linuxbrew|me|my\w*|name|node|pi|public|runner|sandbox|shared|some\w*|ubuntu|user\w*|vagrant|vscode|www"
    r"|www-data|you\w*|x+|alice|bob|jane|john|jdoe|johndoe|foo|bar|test\w*|deploy|root|ec2-user|circleci|opam|gitpod"
    r"|steam|oracle|nonroot|claude|\.{2,})",
    re.IGNORECASE,
)
_OTHERWISE: Final = re.compile(
    r"e\.g\.|example|such as|placeholder|replace|your|\bnot\b|n['’]t\b|never|avoid", re.IGNORECASE
)


def paths_of_one(audited: Audited) -> Iterator[Finding]:
    """Absolute paths below the home folder of a person, in texts that an agent reads."""
    for reference in audited.instructions():
        text = audited.text(reference.path) or ""
        if "Users" not in text and "/home/" not in text:
            continue
        told = set[str]()
        for number, line in enumerate(split_lines(text), 1):
            match = None if _OTHERWISE.search(line) else _HOME.search(line)
            if match and not _ANY.fullmatch(match[1]) and match[0] not in told:
                told.add(match[0])
                path, remedy = reference.path, Remedy("write a path below the project, or `~`")
                message = f"names `{match[0]}…`, a folder of one machine"
                many = "names folders of one machine in {count} places"
                evidence, cause = "an absolute path below a home folder", f"{path}: one machine"
                found = (message, path, number, 0, evidence, None, match[0], remedy, cause, many)
                yield Finding("machine-path", "info", *found)
