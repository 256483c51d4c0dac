"""Credentials in the data of a Kubernetes Secret, no matter what their keys are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ctxtui.core.text.secrets.extents import value_at
from ctxtui.core.text.secrets.plausible import Strength, strength
from ctxtui.core.text.secrets.secret import Secret

KIND: Final = re.compile(r"""^kind:[ \t]*["']?Secret["']?[ \t]*\r?$""", re.MULTILINE)
# Where a document begins or ends: a line of YAML, or the fence around it.
_EDGE: Final = re.compile(r"^(?:---|```|~~~)", re.MULTILINE)
_DATA: Final = re.compile(r"^(?:data|stringData):[ \t]*\r?\n((?:[ \t]+\S[^\n]*+\n?|[ \t]*\r?\n)*+)", re.MULTILINE)
_ENTRY: Final = re.compile(r"""^[ \t]+["']?[\w.-]{1,100}["']?:[ \t]+(?=[^\s|>&*!#])""", re.MULTILINE)
# The base64 of "-----BEGIN CERT".
_CERTIFICATE: Final = "LS0tLS1CRUdJTiBDRVJU"


def find_in_manifests(text: str) -> Iterator[Secret]:
    """The values below `data:` and `stringData:` that look like credentials."""
    stop = 0
    for kind in KIND.finditer(text):
        if kind.start() < stop:
            continue
        start = max((edge.end() for edge in _EDGE.finditer(text, stop, kind.start())), default=stop)
        edge = _EDGE.search(text, kind.end())
        stop = edge.start() if edge else len(text)
        for block in _DATA.finditer(text, start, stop):
            for entry in _ENTRY.finditer(text, *block.span(1)):
                value = value_at(text, entry.end())
                if value and strength(value.text) >= Strength.PASSWORD and not value.text.startswith(_CERTIFICATE):
                    yield Secret("secret", value.start, value.end)
