import { formatMoney } from "./money";

export type OrderStatus = "placed" | "paid" | "packed" | "shipped" | "delivered" | "cancelled";

export interface Order {
  public_id: string;
  status: OrderStatus;
  total_cents: number;
  currency: string;
}

/** What the service answers when it refuses; `code` is meant for programs. */
export class OrdersError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The order page's view of the service: it reads, and cancels what is not packed yet. */
export class OrdersClient {
  constructor(
    private readonly base: string,
    private readonly token: () => Promise<string>,
  ) {}

  /** All orders of the shop, oldest first, page by page. */
  async *list(status?: OrderStatus): AsyncGenerator<Order> {
    let after: number | null = 0;
    while (after !== null) {
      const query = new URLSearchParams({ after: String(after), ...(status && { status }) });
      const page: { items: Order[]; next_after: number | null } = await this.call(`/orders?${query}`);
      yield* page.items;
      after = page.next_after;
    }
  }

  /** Cancel an order; throws `wrong_status` once it is packed. */
  cancel(publicId: string): Promise<Order> {
    return this.call(`/orders/${encodeURIComponent(publicId)}/cancel`, "POST");
  }

  private async call<T>(path: string, method = "GET"): Promise<T> {
    const response = await fetch(this.base + path, {
      method,
      headers: { Authorization: `Bearer ${await this.token()}` },
    });
    const body = await response.json();
    if (!response.ok) {
      throw new OrdersError(body.detail?.code ?? "unknown", body.detail?.message ?? response.statusText);
    }
    return body as T;
  }
}

/** One line of the order page. */
export function describe(order: Order, locale: string): string {
  const total = formatMoney({ cents: order.total_cents, currency: order.currency }, locale);
  return `${order.public_id} · ${order.status} · ${total}`;
}
