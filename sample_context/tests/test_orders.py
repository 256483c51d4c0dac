"""Orders over HTTP, against an in-memory database."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import create_engine, select
from sqlalchemy.orm import Session, sessionmaker
from sqlalchemy.pool import StaticPool

from src.api.auth import Caller, current_caller
from src.db import get_session
from src.main import app
from src.models import Base, Order, OrderStatus, OutboxEvent

BODY = {"currency": "EUR", "lines": [{"sku": "MUG-01", "quantity": 2, "unit_cents": 1250}]}


@pytest.fixture
def db() -> Iterator[Session]:
    engine = create_engine(
        "sqlite://", connect_args={"check_same_thread": False}, poolclass=StaticPool
    )
    Base.metadata.create_all(engine)
    with sessionmaker(bind=engine, expire_on_commit=False)() as session:
        yield session


@pytest.fixture
def client(db: Session) -> Iterator[TestClient]:
    app.dependency_overrides[get_session] = lambda: db
    act_as("brightleaf")
    yield TestClient(app)
    app.dependency_overrides.clear()


def act_as(shop_id: str, *scopes: str) -> None:
    granted = frozenset(scopes or ("orders:read", "orders:write"))
    app.dependency_overrides[current_caller] = lambda: Caller("user-1", shop_id, granted)


def place(client: TestClient, key: str = "key-0001") -> dict[str, object]:
    answer = client.post("/v1/orders", json=BODY, headers={"Idempotency-Key": key})
    assert answer.status_code == 201, answer.text
    order: dict[str, object] = answer.json()
    return order


def test_total_is_the_sum_of_the_lines(client: TestClient) -> None:
    assert place(client)["total_cents"] == 2500


def test_the_same_key_gives_the_first_order_again(client: TestClient, db: Session) -> None:
    first = place(client)
    again = client.post("/v1/orders", json=BODY, headers={"Idempotency-Key": "key-0001"})
    assert again.status_code == 200
    assert again.json()["public_id"] == first["public_id"]
    assert len(db.scalars(select(Order)).all()) == 1
    assert len(db.scalars(select(OutboxEvent)).all()) == 1


def test_another_shop_sees_no_order(client: TestClient) -> None:
    public_id = place(client)["public_id"]
    act_as("kettle-house")
    answer = client.get(f"/v1/orders/{public_id}")
    assert answer.status_code == 404
    assert answer.json()["detail"]["code"] == "order_not_found"


@pytest.mark.parametrize("status", [OrderStatus.PACKED, OrderStatus.SHIPPED])
def test_too_late_to_cancel(client: TestClient, db: Session, status: OrderStatus) -> None:
    public_id = place(client)["public_id"]
    order = db.scalar(select(Order).where(Order.public_id == public_id))
    assert order is not None
    order.status = status
    db.commit()
    assert client.post(f"/v1/orders/{public_id}/cancel").status_code == 409


def test_cancelling_needs_the_write_scope(client: TestClient) -> None:
    public_id = place(client)["public_id"]
    act_as("brightleaf", "orders:read")
    answer = client.post(f"/v1/orders/{public_id}/cancel")
    assert (answer.status_code, answer.json()["detail"]["code"]) == (403, "missing_scope")


def test_pages_do_not_overlap(client: TestClient) -> None:
    placed = [place(client, f"key-{n:04}")["public_id"] for n in range(5)]
    first = client.get("/v1/orders", params={"limit": 3}).json()
    rest = client.get("/v1/orders", params={"limit": 3, "after": first["next_after"]}).json()
    assert [o["public_id"] for o in first["items"] + rest["items"]] == placed
    assert rest["next_after"] is None


def test_unknown_fields_are_refused(client: TestClient) -> None:
    body = {**BODY, "discount": 10}
    answer = client.post("/v1/orders", json=body, headers={"Idempotency-Key": "key-0001"})
    assert answer.status_code == 422
