"""How many of the labelled texts of `data/secrets.json` are judged right; `pytest -s` prints the figures."""

import json
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core.text.secrets import redact

DATA: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "secrets.json").read_text("utf-8"))


def _plain(encoded: str) -> str:
    return b64decode(encoded[::-1]).decode()


def _shows(secret: str, redacted: str) -> bool:
    """Whether a credential is left; of one of many lines, whether one of its lines is."""
    if "PRIVATE KEY" in secret:
        return any(len(line) > 30 and line in redacted for line in secret.split("\n"))
    return secret in redacted


def _measured(split: str) -> tuple[float, float]:
    """Precision and recall over the texts of a split, or over all."""
    right = missed = false = 0
    for row in DATA["texts"]:
        if split not in (row["split"], "all"):
            continue
        redacted, found = redact(_plain(row["text"]))
        secrets = [_plain(secret) for secret in row["secrets"]]
        if secrets:
            is_missed = any(_shows(secret, redacted) for secret in secrets)
            missed, right = missed + is_missed, right + (not is_missed)
        else:
            false += bool(found)
    return right / (right + false), right / (right + missed)


@pytest.mark.parametrize("split", ["all", "test"])
def test_labelled_secrets_are_found_and_nothing_else(split: str) -> None:
    precision, recall = _measured(split)
    others = DATA["detect-secrets 1.5.0"][split]
    print(f"{split}: precision {precision:.3f} recall {recall:.3f}; detect-secrets 1.5.0 {others[0]} {others[1]}")
    if split == "test":
        assert precision >= 0.98
        assert recall >= 0.95
