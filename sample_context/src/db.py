"""Engine and session handling."""

import os
from collections.abc import Iterator

from sqlalchemy import create_engine
from sqlalchemy.orm import Session, sessionmaker

engine = create_engine(
    os.environ.get("DATABASE_URL", "sqlite:///./orders.db"),
    pool_pre_ping=True,
)
SessionLocal = sessionmaker(bind=engine, expire_on_commit=False)


def get_session() -> Iterator[Session]:
    """One session per request; the endpoint commits, everything else rolls back."""
    with SessionLocal() as session:
        yield session
