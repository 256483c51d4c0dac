"""The rule about paths in the home folder of one person, or on a disk of one machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ctxtui.audit.context import Audited
from ctxtui.audit.text.facts import split_lines
from ctxtui.audit.types import Finding, Remedy

_HOME: Final = re.compile(r"(?<![^\s\"'`(=<*])(?:/(?:Users|home)/|[A-Za-z]:\\{1,2}Users\\{1,2})(\w[\w.-]*)[/\\]")
# Further disks, which have other names on each machine.
_DISK: Final = re.compile(r"(?<![^\s\"'`(=<*])(?:/Volumes/(?=\w[\w.-]*/\w)|[D-Zd-z]:\\{1,2}(?=\w))([\w.-]{3,})")
_SIGNS: Final = ("Users", "/home/", "/Volumes/", ":\\")
# Homes of machines that everybody has, and names that stand for any.
_ANY: Final = re.compile(
    r"(?:app|admin|agent|build|codespace|coder|container|default|dev|developer|developers|dir|docker|git|home|jenkins"
    r"|jovyan|linuxbrew|me|my\w*|name|node|pi|public|runner|sandbox|shared|some\w*|ubuntu|user\w*|vagrant|vscode|www"
    r"|www-data|you\w*|x+|alice|bob|jane|john|jdoe|johndoe|foo|bar|test\w*|deploy|root|ec2-user|circleci|opam|gitpod"
    r"|steam|oracle|nonroot|claude|path|project|te?mp|windows|backups?|\.{2,})",
    re.IGNORECASE,
)
_OTHERWISE: Final = re.compile(
    r"e\.g\.|example|such as|placeholder|replace|your|\bnot\b|n['’]t\b|never|avoid|\babsolute\b|\bdrive\b",
    re.IGNORECASE,
)


def paths_of_one(audited: Audited) -> Iterator[Finding]:
    """Absolute paths below the home folder of a person or on a further disk, in texts that an agent reads."""
    for reference in audited.instructions():
        text = audited.text(reference.path) or ""
        if not any(sign in text for sign in _SIGNS):
            continue
        told = set[str]()
        for number, line in enumerate(split_lines(text), 1):
            match = None if _OTHERWISE.search(line) else _HOME.search(line) or _DISK.search(line)
            if match and not _ANY.fullmatch(match[1]) and match[0] not in told:
                told.add(match[0])
                path, remedy = reference.path, Remedy("write a path below the project, or `~`")
                message = f"names `{match[0]}…`, a folder of one machine"
                many = "names folders of one machine in {count} places"
                evidence, cause = "an absolute path below a home folder, or on a further disk", f"{path}: one machine"
                found = (message, path, number, 0, evidence, None, match[0], remedy, cause, many)
                yield Finding("machine-path", "info", *found)
