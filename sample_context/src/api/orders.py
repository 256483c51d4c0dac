"""Endpoints for orders. Every query is scoped by the caller's shop."""

from typing import Annotated

from fastapi import APIRouter, Depends, Header, HTTPException, Query, Response
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from src.api.auth import Caller, require
from src.db import get_session
from src.models import (
    TRANSITIONS,
    Order,
    OrderCreate,
    OrderLine,
    OrderOut,
    OrderPage,
    OrderStatus,
    OutboxEvent,
)

router = APIRouter(prefix="/orders", tags=["orders"])

Reader = Annotated[Caller, Depends(require("orders:read"))]
Writer = Annotated[Caller, Depends(require("orders:write"))]
Db = Annotated[Session, Depends(get_session)]


@router.post("", status_code=201, response_model=OrderOut)
def place_order(
    body: OrderCreate,
    response: Response,
    caller: Writer,
    db: Db,
    idempotency_key: Annotated[str, Header(min_length=8, max_length=80)],
) -> Order:
    """Place an order. The same key from the same shop returns the first answer with 200."""
    earlier = _by_key(db, caller.shop_id, idempotency_key)
    if earlier is not None:
        response.status_code = 200
        return earlier

    order = Order(
        shop_id=caller.shop_id,
        currency=body.currency,
        idempotency_key=idempotency_key,
        total_cents=sum(line.quantity * line.unit_cents for line in body.lines),
        lines=[
            OrderLine(position=position, **line.model_dump())
            for position, line in enumerate(body.lines, start=1)
        ],
    )
    db.add(order)
    try:
        db.flush()
    except IntegrityError:
        # Two requests with one key raced; the other one won.
        db.rollback()
        earlier = _by_key(db, caller.shop_id, idempotency_key)
        if earlier is None:
            raise
        response.status_code = 200
        return earlier
    _announce(db, order, "order.placed")
    db.commit()
    return order


@router.get("", response_model=OrderPage)
def list_orders(
    caller: Reader,
    db: Db,
    status: OrderStatus | None = None,
    after: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=100)] = 25,
) -> dict[str, object]:
    """Oldest first, by keyset: `after` is the `next_after` of the page before."""
    query = select(Order).where(Order.shop_id == caller.shop_id, Order.id > after)
    if status is not None:
        query = query.where(Order.status == status)
    rows = list(db.scalars(query.order_by(Order.id).limit(limit + 1)))
    page = rows[:limit]
    return {"items": page, "next_after": page[-1].id if len(rows) > limit else None}


@router.get("/{public_id}", response_model=OrderOut)
def get_order(public_id: str, caller: Reader, db: Db) -> Order:
    return _load(db, caller, public_id)


@router.post("/{public_id}/cancel", response_model=OrderOut)
def cancel_order(public_id: str, caller: Writer, db: Db) -> Order:
    """Cancel before packing. A paid order is refunded by whoever hears `order.cancelled`."""
    order = _load(db, caller, public_id, lock=True)
    was = OrderStatus(order.status)
    if OrderStatus.CANCELLED not in TRANSITIONS[was]:
        raise HTTPException(
            409, {"code": "wrong_status", "message": f"A {was} order cannot be cancelled"}
        )
    order.status = OrderStatus.CANCELLED
    _announce(db, order, "order.cancelled", refund=was is OrderStatus.PAID)
    db.commit()
    return order


def _by_key(db: Session, shop_id: str, key: str) -> Order | None:
    return db.scalar(select(Order).where(Order.shop_id == shop_id, Order.idempotency_key == key))


def _load(db: Session, caller: Caller, public_id: str, *, lock: bool = False) -> Order:
    query = select(Order).where(Order.shop_id == caller.shop_id, Order.public_id == public_id)
    order = db.scalar(query.with_for_update() if lock else query)
    if order is None:  # another shop's order looks exactly like none
        raise HTTPException(404, {"code": "order_not_found", "message": "No such order"})
    return order


def _announce(db: Session, order: Order, topic: str, **payload: object) -> None:
    db.add(OutboxEvent(topic=topic, order_public_id=order.public_id, payload=payload))
