import { createHash } from "node:crypto";
import { type Static, type TSchema, Type } from "typebox";
import { type Answer, refusal } from "./answer.ts";
import type { Amounts, Partner } from "./ledger-entry.ts";

const Text = Type.String({ minLength: 1, maxLength: 200 });
/** An address as long as RFC 5321 lets one be. */
const Email = Type.String({ minLength: 3, maxLength: 254 });
const Price = {
  amount: Type.Integer({ minimum: 0 }),
  currency: Type.String({ pattern: "^[A-Z]{3}$" }),
};

/** What the partner would do, or why it will not. */
type Verdict =
  | { readonly amounts: Amounts; readonly answer: Readonly<Record<string, string>> }
  | { readonly refused: Answer };

/** One thing that a partner does, once for each key. */
export interface Offer<Body extends TSchema = TSchema> {
  readonly partner: Partner;
  readonly resource: string;
  readonly undoable: boolean;
  readonly body: Body;
  /** `nth`: how often this key has been asked for, beginning with 1. */
  readonly judge: (body: Static<Body>, request: { key: string; nth: number }) => Verdict;
}

const offer = <Body extends TSchema>(content: Offer<Body>): Offer => content;

/** Everything is in stock, but what says of itself that it is not. */
const reservations = offer({
  partner: "inventory",
  resource: "reservations",
  undoable: true,
  body: Type.Object({
    lines: Type.Array(Type.Object({ sku: Text, quantity: Type.Integer({ minimum: 1 }) }), {
      minItems: 1,
    }),
  }),
  judge({ lines }, { key }) {
    const gone = lines.find(({ sku }) => sku.startsWith("sold-out"));
    if (gone) return { refused: refusal(409, "sold_out", `${gone.sku} is sold out`) };
    const bySku = Map.groupBy(lines, ({ sku }) => sku);
    const amounts = [...bySku].map(([sku, own]) => [sku, sum(own.map((line) => line.quantity))]);
    return { amounts: Object.fromEntries(amounts), answer: { reservationId: id("res", key) } };
  },
});

const charges = offer({
  partner: "payments",
  resource: "charges",
  undoable: true,
  body: Type.Object({ customerId: Text, paymentMethod: Text, ...Price }),
  judge({ paymentMethod, amount, currency }, { key, nth }) {
    if (paymentMethod.startsWith("card-declined"))
      return { refused: refusal(402, "declined", "the card was declined") };
    if (paymentMethod.startsWith("card-flaky") && nth <= 2)
      return { refused: refusal(503, "unavailable", "the card network does not answer") };
    return { amounts: { [currency]: amount }, answer: { chargeId: id("ch", key) } };
  },
});

const shipments = offer({
  partner: "shipping",
  resource: "shipments",
  undoable: true,
  body: Type.Object({
    reservationId: Text,
    to: Type.Object({ name: Text, street: Text, city: Text, postalCode: Text, country: Text }),
  }),
  judge: ({ to }, { key }) =>
    to.country === "AQ"
      ? { refused: refusal(422, "unshippable", `nothing is shipped to ${to.country}`) }
      : {
          amounts: { parcels: 1 },
          answer: { shipmentId: id("shp", key), trackingNumber: id("trk", key).toUpperCase() },
        },
});

const confirmations = offer({
  partner: "notifications",
  resource: "confirmations",
  undoable: false,
  body: Type.Object({
    to: Type.Object({ name: Text, email: Email }),
    chargeId: Text,
    trackingNumber: Text,
  }),
  judge: ({ to }, { key }) =>
    to.email.endsWith("@bounces.example")
      ? { refused: refusal(422, "undeliverable", `no mail reaches ${to.email}`) }
      : { amounts: { mails: 1 }, answer: { notificationId: id("msg", key) } },
});

/** Everything that the partners do and that leaves a trace. */
export const offers: readonly Offer[] = [reservations, charges, shipments, confirmations];

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);

/** An id that the same key always gives, so a double would show by its id, too. */
const id = (prefix: string, key: string): string =>
  `${prefix}_${createHash("sha256").update(key).digest("hex").slice(0, 20)}`;
