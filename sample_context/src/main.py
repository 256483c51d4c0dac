"""Application object: `uvicorn src.main:app`."""

import logging
import uuid
from collections.abc import Awaitable, Callable

from fastapi import Depends, FastAPI, HTTPException, Request, Response
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from src.api import orders
from src.db import get_session

log = logging.getLogger("acme.orders")

app = FastAPI(title="Acme Orders API", version="2026.11.1", docs_url="/docs", redoc_url=None)
app.include_router(orders.router, prefix="/v1")


@app.middleware("http")
async def request_id(
    request: Request, call_next: Callable[[Request], Awaitable[Response]]
) -> Response:
    """Give every request an id, taken from the gateway when it sent one."""
    rid = request.headers.get("X-Request-Id") or uuid.uuid4().hex
    response = await call_next(request)
    response.headers["X-Request-Id"] = rid
    log.info("%s %s %s rid=%s", request.method, request.url.path, response.status_code, rid)
    return response


@app.get("/healthz", include_in_schema=False)
def healthz() -> dict[str, str]:
    """The process is up. Says nothing about the database, on purpose."""
    return {"status": "ok"}


@app.get("/readyz", include_in_schema=False)
def readyz(session: Session = Depends(get_session)) -> dict[str, str]:
    """The process can serve: the load balancer asks this one."""
    try:
        session.execute(text("SELECT 1"))
    except SQLAlchemyError as error:
        log.warning("not ready: %s", type(error).__name__)
        raise HTTPException(503, {"code": "not_ready", "message": "Database is away"}) from error
    return {"status": "ready"}
