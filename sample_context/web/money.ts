/** Amounts are cents; only what a customer reads is formatted. */
export type Money = { cents: number; currency: string };

/** "12,50 €" in the customer's own way of writing it. */
export function formatMoney({ cents, currency }: Money, locale: string): string {
  return new Intl.NumberFormat(locale, { style: "currency", currency }).format(cents / 100);
}

/** The sum of amounts in one currency; throws if they differ. */
export function sum(amounts: Money[]): Money {
  const [first, ...rest] = amounts;
  if (first === undefined) {
    throw new Error("nothing to add up");
  }
  return rest.reduce((total, { cents, currency }) => {
    if (currency !== total.currency) {
      throw new Error(`cannot add ${currency} to ${total.currency}`);
    }
    return { cents: total.cents + cents, currency };
  }, first);
}
