"""Tables and the shapes that cross the wire."""

import secrets
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import JSON, DateTime, ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


class OrderStatus(StrEnum):
    PLACED = "placed"
    PAID = "paid"
    PACKED = "packed"
    SHIPPED = "shipped"
    DELIVERED = "delivered"
    CANCELLED = "cancelled"


# An order moves along these edges only; everything else is a 409.
TRANSITIONS: dict[OrderStatus, frozenset[OrderStatus]] = {
    OrderStatus.PLACED: frozenset({OrderStatus.PAID, OrderStatus.CANCELLED}),
    OrderStatus.PAID: frozenset({OrderStatus.PACKED, OrderStatus.CANCELLED}),
    OrderStatus.PACKED: frozenset({OrderStatus.SHIPPED}),
    OrderStatus.SHIPPED: frozenset({OrderStatus.DELIVERED}),
    OrderStatus.DELIVERED: frozenset(),
    OrderStatus.CANCELLED: frozenset(),
}


def new_public_id() -> str:
    return f"ord_{secrets.token_hex(8)}"


def utcnow() -> datetime:
    return datetime.now(UTC)


class Base(DeclarativeBase):
    pass


class Order(Base):
    __tablename__ = "orders"
    __table_args__ = (UniqueConstraint("shop_id", "idempotency_key"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    public_id: Mapped[str] = mapped_column(String(40), unique=True, default=new_public_id)
    shop_id: Mapped[str] = mapped_column(String(40), index=True)
    status: Mapped[OrderStatus] = mapped_column(String(16), default=OrderStatus.PLACED)
    currency: Mapped[str] = mapped_column(String(3))
    total_cents: Mapped[int]
    idempotency_key: Mapped[str] = mapped_column(String(80))
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=utcnow)
    lines: Mapped[list["OrderLine"]] = relationship(
        order_by="OrderLine.position", cascade="all, delete-orphan", lazy="selectin"
    )


class OrderLine(Base):
    __tablename__ = "order_lines"

    id: Mapped[int] = mapped_column(primary_key=True)
    order_id: Mapped[int] = mapped_column(ForeignKey("orders.id"), index=True)
    position: Mapped[int]
    sku: Mapped[str] = mapped_column(String(32))
    quantity: Mapped[int]
    unit_cents: Mapped[int]


class OutboxEvent(Base):
    """Written in the transaction that changes the order; the relay sends it later."""

    __tablename__ = "outbox"

    id: Mapped[int] = mapped_column(primary_key=True)
    topic: Mapped[str] = mapped_column(String(40))
    order_public_id: Mapped[str] = mapped_column(String(40))
    payload: Mapped[dict[str, object]] = mapped_column(JSON, default=dict)
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=utcnow)
    sent_at: Mapped[datetime | None] = mapped_column(DateTime(timezone=True), default=None)


class LineIn(BaseModel):
    model_config = ConfigDict(extra="forbid")

    sku: Annotated[str, Field(pattern=r"^[A-Z0-9-]{3,32}$")]
    quantity: Annotated[int, Field(ge=1, le=999)]
    unit_cents: Annotated[int, Field(ge=0)]


class OrderCreate(BaseModel):
    model_config = ConfigDict(extra="forbid")

    currency: Literal["EUR", "GBP", "USD"]
    lines: Annotated[list[LineIn], Field(min_length=1, max_length=200)]


class LineOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    sku: str
    quantity: int
    unit_cents: int


class OrderOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    public_id: str
    status: OrderStatus
    currency: str
    total_cents: int
    created_at: datetime
    lines: list[LineOut]


class OrderPage(BaseModel):
    items: list[OrderOut]
    next_after: int | None = None
