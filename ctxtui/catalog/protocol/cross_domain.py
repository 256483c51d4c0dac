"""Cross-domain rows and triggers: the files of other domains to load (catalog specification 7)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ctxtui.catalog.detection.signal_index import SignalIndex
from ctxtui.catalog.library import split_id
from ctxtui.catalog.mentions import Resolver, mentions
from ctxtui.catalog.metadata import damage_clause
from ctxtui.catalog.protocol.choices import CROSS_CUTTING
from ctxtui.catalog.tables import Table, TableRow, plain_cell, read_tables
from ctxtui.catalog.text_match import STOP, words
from ctxtui.catalog.types import Choice, DetectionSignals
from ctxtui.core.base.notices import Notice, OnNotice
from ctxtui.core.text.markdown.document import Document

# Packages by the trigger that their import suggests. A dotted name includes everything below that module.
_PACKAGES = {
    "sql_queries": "sqlalchemy sqlmodel psycopg psycopg2 asyncpg sqlite3 aiosqlite pymysql mysqlclient"
    " peewee tortoise django.db sqlx dapper microsoft.entityframeworkcore system.data npgsql nhibernate typeorm"
    " prisma pg mysql2 knex",
    "auth_code": "jwt jose passlib bcrypt argon2 authlib oauthlib itsdangerous fastapi.security flask_login"
    " django.contrib.auth microsoft.aspnetcore.authentication microsoft.aspnetcore.authorization"
    " microsoft.aspnetcore.identity microsoft.identitymodel system.identitymodel passport jsonwebtoken"
    " keycloak-angular"
    " @auth0/auth0-angular angular-oauth2-oidc",
    "http_calls": "@angular/common/http axios",
    "form_input": "@angular/forms",
}
_FILES = {
    "schema_migration": re.compile(r"(?:^|/)(?:migrations?|alembic)/|\.sql$|alembic\.ini$", re.IGNORECASE),
    "infrastructure": re.compile(
        r"(?:^|/)(?:Dockerfile[^/]*|docker-compose[^/]*|azure-pipelines[^/]*|Tiltfile|Chart\.yaml)$|\.(?:tf|bicep)$"
    ),
}

_NO_SCORE = 0.7
_NOISE = STOP | frozenset("code detected file diff present usage handling flagged detection found involved".split())
_SAME = dict.fromkeys("authentication authorization authorisation authn authz login".split(), "auth")
_SAME |= {"db": "database", "infra": "infrastructure", "deploy": "deployment"}


def derive_triggers(signals: DetectionSignals) -> tuple[str, ...]:
    """Derive trigger conditions for `getCrossDomainContext` (catalog specification 7) from imports and files."""
    modules = set(SignalIndex(signals).modules)
    below = modules | {module[: cut.start()] for module in modules for cut in re.finditer(r"[./]", module)}
    found = [trigger for trigger, packages in _PACKAGES.items() if below & set(packages.split())]
    files = [*signals.file_patterns, *signals.config_files]
    found += [trigger for trigger, pattern in _FILES.items() if any(pattern.search(path) for path in files)]
    return tuple(found)


_LEVELS = {"high": 0.9, "medium": 0.6, "low": 0.3}
_ORDER = tuple(
    frozenset(words(kinds))
    for kinds in (
        "security owasp",
        "schema database data",
        "performance",
        "infrastructure azure aws gcp docker deployment kubernetes devops cloud",
    )
)


@dataclass(frozen=True, slots=True)
class CrossRow:
    """One row: its domain ("" for any), condition, files to load, and relevance."""

    domain: str
    condition: str
    targets: tuple[str, ...]
    score: float
    line: int


def read_rows(document: Document) -> list[CrossRow]:
    """The rows of every table with a condition and a target, by the names of its columns."""
    return [row for table in read_tables(document) for row in _rows(table)]


def _rows(table: Table) -> Iterator[CrossRow]:
    """The rows of a table, once for each domain named. None without columns for condition and target."""
    heads = [plain_cell(head).lower() for head in table.header]
    domain = _column(heads, r"primary|\bdomain\b|\bfrom\b|source")
    condition = _column(heads, r"trigger|condition|\bwhen\b|\bif\b")
    target = _column(heads, r"secondary|to load|\bload\b|target|also")
    score = _column(heads, r"relevance|score|weight")
    if condition is None or target is None:
        return
    for row in table.rows:
        targets = tuple(mentions(row.cells[target], bare=True))
        for name in _domains(row, domain):
            if targets:
                value = _NO_SCORE if score is None else _score(row.cells[score])
                yield CrossRow(name, plain_cell(row.cells[condition]), targets, value, row.line)


def _column(heads: Sequence[str], pattern: str) -> int | None:
    return next((column for column, head in enumerate(heads) if re.search(pattern, head)), None)


def _domains(row: TableRow, column: int | None) -> list[str]:
    """The domains in a cell, in lower case. "" stands for any domain."""
    text = plain_cell(row.cells[column]).lower() if column is not None else ""
    if not text or re.match(r"(?:any|all|every)\b|[*-]", text):
        return [""]
    return [part.strip("/ ") for part in re.split(r"\s*(?:,|;|\bor\b|\band\b)\s*", text) if part.strip("/ ")]


def _score(cell: str) -> float:
    """The relevance in a cell, within 0..1: a number, a percentage or a word such as `high`, else 0.7."""
    text = plain_cell(cell).lower().replace(",", ".")
    match = re.search(r"\d{1,6}(?:\.\d{1,6})?", text)
    if match is None:
        return next((value for word, value in _LEVELS.items() if word in text), _NO_SCORE)
    value = float(match[0])
    return min(1.0, value / 100 if "%" in text or value > 1 else value)


def condition_words(text: str) -> set[str]:
    """The significant words of a trigger or condition, normalized for comparison."""
    return {_SAME.get(word, word) for word in words(text)} - _NOISE


def match_rows(
    rows: Iterable[CrossRow], resolver: Resolver, triggers: Sequence[str], document: Document, on_notice: OnNotice
) -> list[Choice]:
    """The files for the triggers by topic: security, schema, performance, infrastructure, the rest.

    A trigger matches a row of `document` if half its words are whole words of the condition. The best row counts.
    """
    best: dict[str, tuple[float, Choice]] = {}
    applying = [row for row in rows if row.domain in ("", resolver.domain.lower())]
    for trigger in dict.fromkeys(str(trigger) for trigger in triggers):
        wanted = condition_words(trigger)
        half = max(1, len(wanted) / 2)
        met = [row for row in applying if len(wanted & condition_words(row.condition)) >= half]
        if not met:
            message = f"no row for {resolver.domain} matches the trigger {trigger!r}{damage_clause(document)}"
            on_notice(Notice("trigger-unmatched", message, document.path))
        for row in met:
            for id_ in _target_ids(row, resolver, document.path, on_notice):
                if id_ not in best or best[id_][0] < row.score:
                    reason = f"{trigger}: {row.condition} ({row.score:g})"
                    best[id_] = row.score, Choice(id_, 5, reason, CROSS_CUTTING, row.score)
    return [best[id_][1] for id_ in sorted(best, key=lambda id_: (_topic_rank(id_), -best[id_][0], id_))]


def _target_ids(row: CrossRow, resolver: Resolver, path: str, on_notice: OnNotice) -> Iterator[str]:
    """The ids of the files that a row names. A missing file becomes a notice."""
    for target in row.targets:
        id_ = resolver.resolve(target)
        if id_ is None:
            named = target.replace("{domain}", resolver.domain)
            on_notice(Notice("missing-target", f"{named} is named here but does not exist", path, row.line))
        else:
            yield id_


def _topic_rank(id_: str) -> int:
    domain, name = split_id(id_)
    for rank, kinds in enumerate(_ORDER):
        if kinds & set(words(domain)):
            return rank
    return next((rank for rank, kinds in enumerate(_ORDER) if kinds & set(words(name))), len(_ORDER))
