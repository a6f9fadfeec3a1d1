import { type Order, totalOf } from "./order.ts";

/** What becomes of an order when the stand-in partners handle it; they go by the marked values. */
export const sampleKinds = [
  "good",
  "sold-out",
  "declined",
  "fraudulent",
  "unshippable",
  "flaky",
] as const;
export type SampleKind = (typeof sampleKinds)[number];

/** What must become of such an order, whatever breaks on the way. */
export const endOf = (kind: SampleKind): "processed" | "undone" =>
  kind === "good" || kind === "flaky" ? "processed" : "undone";

/**
 * An order for demonstrations and tests: `good` and `flaky` (the partners stumble, then recover)
 * are fulfilled, the others are undone. The same kind and seed make the same order.
 */
export function sampleOrder({ kind, seed = 0 }: { kind: SampleKind; seed?: number }): Order {
  const random = randomFrom(seed);
  const pick = <T>(items: readonly [T, ...T[]]): T =>
    items[Math.floor(random() * items.length)] ?? items[0];
  const first = pick(["Ada", "Grace", "Edsger", "Barbara", "Tony", "Radia"]);
  const last = pick(["Lovelace", "Hopper", "Dijkstra", "Liskov", "Hoare", "Perlman"]);
  const [city, country] = pick([
    ["Berlin", "DE"],
    ["Lyon", "FR"],
    ["Leeds", "GB"],
    ["Porto", "PT"],
  ]);
  const lines = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, index) => ({
    sku: `${pick(["lamp", "chair", "desk", "shelf"])}-${index + 1}`,
    quantity: 1 + Math.floor(random() * 4),
    unitPrice: 500 + Math.floor(random() * 20_000),
  }));
  const order = {
    customer: {
      id: `customer-${seed}`,
      name: `${first} ${last}`,
      email: `${first}.${last}@example.com`.toLowerCase(),
    },
    shipTo: {
      name: `${first} ${last}`,
      street: `${1 + Math.floor(random() * 200)} Harbour Road`,
      city,
      postalCode: `${10_000 + Math.floor(random() * 89_999)}`,
      country,
    },
    lines,
    currency: "EUR",
    paymentMethod: "card-valid",
    total: totalOf(lines),
  };
  return mark(order, kind);
}

function mark(order: Order, kind: SampleKind): Order {
  switch (kind) {
    case "good":
      return order;
    case "sold-out":
      return {
        ...order,
        lines: order.lines.map((line) => ({ ...line, sku: `sold-out-${line.sku}` })),
      };
    case "declined":
      return { ...order, paymentMethod: "card-declined" };
    case "fraudulent":
      return { ...order, paymentMethod: "card-stolen" };
    case "unshippable":
      return { ...order, shipTo: { ...order.shipTo, city: "McMurdo", country: "AQ" } };
    case "flaky":
      return { ...order, paymentMethod: "card-flaky" };
  }
}

/** Mulberry32: small, and the same everywhere. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
