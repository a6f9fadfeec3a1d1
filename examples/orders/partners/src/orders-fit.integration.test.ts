import { callsOf, type Json, lookupIn, resolveTemplate } from "@holdfast/domain";
import {
  fulfilOrder,
  inventory,
  notifications,
  type Order,
  payments,
  SubmittedOrder,
  shipping,
  totalOf,
} from "@holdfast/orders";
import { contract } from "@holdfast/workflow";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { listen, temporaryFolder } from "../test/fixtures.ts";
import type { Partners } from "./partners.ts";

const resources = new AsyncDisposableStack();
let partners: Partners;
beforeAll(async () => {
  const folder = resources.use(await temporaryFolder());
  partners = resources.use(await listen(folder.path));
});
afterAll(async () => {
  await resources.disposeAsync();
});

/** Texts of every length up to the longest, and some of exactly that. */
const text = (longest: number): fc.Arbitrary<string> =>
  fc
    .oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: longest }),
      fc.constantFrom("x", "ä", "😀").map((unit) => unit.repeat(longest / unit.length)),
    )
    .filter((value) => value.trim() !== "" && value.length <= longest && !value.includes("\0"));

const word = (longest: number) =>
  fc
    .tuple(fc.integer({ min: 1, max: longest }), fc.constantFrom("a", "7", "z"))
    .map(([length, letter]) => letter.repeat(length));

/** Addresses of up to 254 characters, as a mailbox of 64 and a domain of several labels. */
const email = fc
  .tuple(word(64), fc.array(word(63), { minLength: 1, maxLength: 4 }))
  .map(([mailbox, labels]) => `${mailbox}@${labels.join(".")}.example`)
  .filter((address) => address.length <= 254);

const line = fc.record({
  sku: text(64).map((sku) => `x${sku}`.slice(0, 64)),
  quantity: fc.integer({ min: 1, max: 1_000 }),
  unitPrice: fc.integer({ min: 0, max: 100_000_000 }),
});

const capitals = (length: number) =>
  fc.string({ unit: fc.constantFrom("A", "M", "Z"), minLength: length, maxLength: length });

const anyOrder: fc.Arbitrary<Order> = fc
  .record({
    customer: fc.record({ id: text(200), name: text(200), email }),
    shipTo: fc.record({
      name: text(200),
      street: text(200),
      city: text(200),
      postalCode: text(20),
      country: capitals(2),
    }),
    lines: fc.array(line, { minLength: 1, maxLength: 100, size: "max" }),
    currency: capitals(3),
    paymentMethod: text(200),
  })
  .map((order) => ({ ...order, total: totalOf(order.lines) }));

const operations = new Map(
  [inventory, payments, shipping, notifications].flatMap((agent) => {
    const { name, operations: offered } = agent[contract];
    return Object.entries(offered).map(([operation, one]) => [`${name}.${operation}`, one]);
  }),
);

const paths: Readonly<Record<string, string>> = {
  "inventory.reserve": "/inventory/reservations",
  "payments.assessRisk": "/payments/assessments",
  "payments.charge": "/payments/charges",
  "shipping.ship": "/shipping/shipments",
  "notifications.confirmOrder": "/notifications/confirmations",
};

test("any order that is taken fits every contract and every partner that gets a part of it", async () => {
  let orders = 0;
  await fc.assert(
    fc.asyncProperty(anyOrder, async (order) => {
      const taken = SubmittedOrder.safeParse(JSON.parse(JSON.stringify(order)));
      expect(taken.error?.issues ?? []).toEqual([]);
      orders += 1;
      const outputs = new Map<string, Json>();
      for (const step of callsOf(fulfilOrder.definition)) {
        const name = `${step.agent}.${step.operation}`;
        const lookup = lookupIn({ input: taken.data as unknown as Json, outputs });
        const checked = await operations
          .get(name)!
          .input["~standard"].validate(resolveTemplate(step.input, lookup));
        expect({ name, issues: checked.issues ?? [] }).toEqual({ name, issues: [] });
        const answer = await partners.app.inject({
          method: "POST",
          url: paths[name]!,
          headers: { "idempotency-key": `order-${orders}:${step.name}:do` },
          payload: (checked as { readonly value: object }).value,
        });
        expect([name, answer.statusCode < 300 ? "done" : answer.body]).toEqual([name, "done"]);
        outputs.set(step.name, answer.json());
      }
    }),
    { numRuns: 150 },
  );
});
