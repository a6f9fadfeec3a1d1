import { median, rounded } from "@holdfast/load";

/** Points that each step of an order passes, in their order. Instants are milliseconds. */
const points = [
  "claimed",
  "request published",
  "request received",
  "reply published",
  "reply received",
  "recorded",
] as const;

type Point = (typeof points)[number];

export interface StepTrace {
  readonly passed: Readonly<Record<Point, number>>;
  /** When the broker had said that it had the request, and the reply. */
  readonly requestConfirmed: number;
  readonly replyConfirmed: number;
}

export interface OrderTrace {
  readonly submitted: number;
  /** Its submission is committed. */
  readonly accepted: number;
  readonly steps: readonly StepTrace[];
  /** Its submitter sees that it is processed. */
  readonly seen: number;
}

/** A part of the way, and the medians of the milliseconds it took, for each step. */
export interface Hop {
  readonly name: string;
  readonly medians: readonly number[];
}

/**
 * The parts of the way of orders that have as many steps each. Their sum is about what an order
 * takes; the confirms, at the end, go on beside them.
 */
export function hopsOf(orders: readonly OrderTrace[]): readonly Hop[] {
  const steps = orders[0]?.steps.map((_, step) => step) ?? [];
  const hop = (name: string, msOf: (order: OrderTrace, step: number) => number): Hop => ({
    name,
    medians: steps.map((step) => middle(orders.map((order) => msOf(order, step)))),
  });
  const passed = (order: OrderTrace, step: number, point: Point) =>
    order.steps[step]?.passed[point] ?? Number.NaN;
  const dueSince = (order: OrderTrace, step: number) =>
    step === 0 ? order.accepted : passed(order, step - 1, "recorded");

  return [
    { name: "submitted → committed", medians: [middle(orders.map(untilAccepted))] },
    hop("due → claimed", (order, step) => passed(order, step, "claimed") - dueSince(order, step)),
    ...pairs(points).map(([from, to]) =>
      hop(`${from} → ${to}`, (order, step) => passed(order, step, to) - passed(order, step, from)),
    ),
    { name: "recorded → seen", medians: [middle(orders.map(untilSeen))] },
    hop("request published → confirmed", ({ steps: of }, step) => confirmOf(of[step], "request")),
    hop("reply published → confirmed", ({ steps: of }, step) => confirmOf(of[step], "reply")),
  ];
}

const middle = (values: readonly number[]): number => rounded(median(values), 3);

const untilAccepted = ({ submitted, accepted }: OrderTrace): number => accepted - submitted;

const untilSeen = ({ steps, seen }: OrderTrace): number =>
  seen - (steps.at(-1)?.passed.recorded ?? Number.NaN);

function confirmOf(step: StepTrace | undefined, message: "request" | "reply"): number {
  if (step === undefined) return Number.NaN;
  return step[`${message}Confirmed`] - step.passed[`${message} published`];
}

const pairs = <Item>(items: readonly Item[]): readonly (readonly [Item, Item])[] =>
  items.slice(1).map((item, index) => [items[index] ?? item, item] as const);
