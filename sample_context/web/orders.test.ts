import { expect, test } from "vitest";

import { describe, OrdersClient, OrdersError } from "./orders";

const ORDER = { public_id: "ord_7f3a", status: "placed", total_cents: 2500, currency: "EUR" } as const;

test("an order is described with its formatted total", () => {
  expect(describe(ORDER, "de-DE")).toBe("ord_7f3a · placed · 25,00\u00a0€");
});

test("a refusal keeps the code of the service", async () => {
  const detail = { code: "wrong_status", message: "A packed order cannot be cancelled" };
  globalThis.fetch = async () => Response.json({ detail }, { status: 409 });
  const client = new OrdersClient("http://localhost:8000/v1", async () => "token");
  await expect(client.cancel("ord_7f3a")).rejects.toThrowError(OrdersError);
});
