"""Who is calling, and what may they do."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import jwt
from fastapi import Depends, HTTPException
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

AUDIENCE = "acme-orders"
ALGORITHMS = ["RS256"]  # never read from the token

_bearer = HTTPBearer(auto_error=False)


@dataclass(frozen=True)
class Caller:
    """The verified part of a token. `shop_id` scopes every query."""

    subject: str
    shop_id: str
    scopes: frozenset[str]


def current_caller(
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> Caller:
    if credentials is None:
        raise _unauthorized("missing_token", "Send a bearer token")
    try:
        claims = jwt.decode(
            credentials.credentials,
            os.environ["ACME_ID_PUBLIC_KEY"],
            algorithms=ALGORITHMS,
            audience=AUDIENCE,
            options={"require": ["exp", "sub", "shop"]},
        )
    except jwt.ExpiredSignatureError as error:
        raise _unauthorized("expired_token", "The token has expired") from error
    except jwt.InvalidTokenError as error:
        raise _unauthorized("invalid_token", "The token was not accepted") from error
    return Caller(
        subject=claims["sub"],
        shop_id=claims["shop"],
        scopes=frozenset(claims.get("scope", "").split()),
    )


def require(scope: str) -> Callable[[Caller], Caller]:
    """Dependency factory: the caller, or 403 when the scope is not in the token."""

    def check(caller: Annotated[Caller, Depends(current_caller)]) -> Caller:
        if scope not in caller.scopes:
            raise HTTPException(403, {"code": "missing_scope", "message": f"Needs {scope}"})
        return caller

    return check


def _unauthorized(code: str, message: str) -> HTTPException:
    return HTTPException(
        401, {"code": code, "message": message}, headers={"WWW-Authenticate": "Bearer"}
    )
