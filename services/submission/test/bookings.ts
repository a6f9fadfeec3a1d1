import { type CallDefinition, type Json, type WorkflowDefinition } from "@holdfast/domain";

const text = (maxLength = 200) => ({ type: "string", minLength: 1, maxLength });
const integer = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) => ({
  type: "integer",
  minimum,
  maximum,
});
const object = <Properties extends Readonly<Record<string, Json>>>(properties: Properties) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
});
const list = (items: Json) => ({ type: "array", items, minItems: 1, maxItems: 100 });

const guest = object({
  id: text(),
  name: text(),
  email: { ...text(254), pattern: "^[^@ ]+@[^@ ]+$" },
});
const address = object({
  name: text(),
  street: text(),
  city: text(),
  postalCode: text(20),
  country: { type: "string", pattern: "^[A-Z]{2}$" },
});
const night = { code: text(64), nights: integer(1, 1_000) };
const money = { amount: integer(0), currency: { type: "string", pattern: "^[A-Z]{3}$" } };

const policy = {
  startWithin: 30_000,
  completeWithin: 5_000,
  retry: { failures: 5, backoff: 1_000, max: 60_000 },
};
const undoBy = (operation: string): CallDefinition["undo"] => ({
  ...policy,
  operation,
  coolDown: { wait: 60_000, times: null },
  onFailure: "halt",
});
const step = (
  definition: Pick<CallDefinition, "name" | "agent" | "operation" | "input" | "after"> &
    Partial<CallDefinition>,
): CallDefinition => ({
  ...policy,
  onlyIf: null,
  coolDown: null,
  onFailure: "undo",
  undo: null,
  ...definition,
});

const payment = {
  guestId: { $ref: "/input/guest/id" },
  amount: { $ref: "/input/total" },
  currency: { $ref: "/input/currency" },
};

/**
 * A workflow for tests with a collection, nested input, several steps, and contracts of all its
 * operations.
 */
export const bookTrip: WorkflowDefinition = {
  format: 1,
  name: "book-trip.v1",
  collection: "bookings",
  inputSchema: object({
    guest,
    billTo: address,
    rooms: list(object({ ...night, price: integer(0, 100_000_000) })),
    currency: money.currency,
    paymentMethod: text(),
    total: integer(0),
  }),
  completeWithin: null,
  output: { reservationId: { $ref: "/steps/reserve/reservationId" } },
  inputs: {
    "rooms.reserve": object({ rooms: list(object(night)) }),
    "payments.assessRisk": object({
      guestId: text(),
      billTo: object({ country: address.properties.country }),
      ...money,
    }),
    "payments.charge": object({ guestId: text(), ...money }),
    "tickets.issue": object({ reservationId: text(), to: address }),
    "notifications.confirm": object({ to: guest, ticketId: text() }),
  },
  outputs: {
    "rooms.reserve": object({ reservationId: text() }),
    "payments.assessRisk": object({ verdict: text() }),
    "payments.charge": object({ chargeId: text() }),
    "tickets.issue": object({ ticketId: text() }),
    "notifications.confirm": object({ notificationId: text() }),
  },
  steps: [
    step({
      name: "reserve",
      agent: "rooms",
      operation: "reserve",
      input: { rooms: { $ref: "/input/rooms" } },
      after: [],
      undo: undoBy("release"),
    }),
    step({
      name: "assess-risk",
      agent: "payments",
      operation: "assessRisk",
      input: { ...payment, billTo: { $ref: "/input/billTo" } },
      after: [],
    }),
    step({
      name: "charge",
      agent: "payments",
      operation: "charge",
      input: payment,
      after: ["reserve", "assess-risk"],
      undo: undoBy("refund"),
    }),
    step({
      name: "issue",
      agent: "tickets",
      operation: "issue",
      input: {
        reservationId: { $ref: "/steps/reserve/reservationId" },
        to: { $ref: "/input/billTo" },
      },
      after: ["charge"],
      undo: undoBy("withdraw"),
    }),
    step({
      name: "confirm",
      agent: "notifications",
      operation: "confirm",
      input: { to: { $ref: "/input/guest" }, ticketId: { $ref: "/steps/issue/ticketId" } },
      after: ["issue"],
      onFailure: "halt",
    }),
  ],
};

/** The input of `bookTrip`. Other numbers make other bookings. */
export const sampleBooking = (number = 0) => ({
  guest: { id: `guest-${number}`, name: "Ada Lovelace", email: "ada@example.com" },
  billTo: {
    name: "Ada Lovelace",
    street: "12 Harbour Road",
    city: "Porto",
    postalCode: "4000",
    country: "PT",
  },
  rooms: [
    { code: "double-1", nights: 2, price: 12_000 },
    { code: "single-2", nights: 1, price: 8_000 },
  ],
  currency: "EUR",
  paymentMethod: "card-valid",
  total: 32_000,
});
