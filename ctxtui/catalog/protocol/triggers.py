"""Triggers suggested by a project's signals for the fifth step, if the caller names none."""

from __future__ import annotations

import re

from ctxtui.catalog.detection.signal_index import SignalIndex
from ctxtui.catalog.types import DetectionSignals

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


def derive_triggers(signals: DetectionSignals) -> tuple[str, ...]:
    """Derive trigger conditions for `getCrossDomainContext` (catalog specification 7) from imports and files."""
    modules = set(SignalIndex(signals).modules)
    below = modules | {part for module in modules for part in _above(module)}
    found = [trigger for trigger, packages in _PACKAGES.items() if below & set(packages.split())]
    files = [*signals.file_patterns, *signals.config_files]
    found += [trigger for trigger, pattern in _FILES.items() if any(pattern.search(path) for path in files)]
    return tuple(found)


def _above(module: str) -> list[str]:
    cuts = [match.start() for match in re.finditer(r"[./]", module)]
    return [module[:cut] for cut in cuts]
