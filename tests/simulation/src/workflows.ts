import type { CallDefinition, WorkflowDefinition } from "@holdfast/domain";
import {
  defineAgent,
  defineWorkflow,
  equals,
  type StepOptions,
  type Workflow,
} from "@holdfast/workflow";
import { z } from "zod";

const output = z.object({ id: z.string() });

const fields = { order: z.string(), from: z.string().nullable() };

/**
 * Two Agents, so that a reply can come from the wrong one. `understands`: whether they take any
 * input. `isOther`: whether they have another contract than the workflows were made with.
 */
export function agents(
  understands: () => boolean,
  { isOther = false }: { readonly isOther?: boolean } = {},
) {
  const input = z
    .object(isOther ? { ...fields, note: z.string().optional() } : fields)
    .refine(understands, "not in this release");
  return {
    left: defineAgent("left", {
      reserve: { input, output, undo: "release" },
      tell: { input, output },
    }),
    right: defineAgent("right", { charge: { input, output, undo: "refund" } }),
    ...poolOf(input, {}),
  };
}

/** Two Agents of one remote service. */
function poolOf(
  input: z.ZodType<{ order: string; from: string | null }>,
  { sharesKeys = false }: { readonly sharesKeys?: boolean },
) {
  const operations = { reserve: { input, output, undo: "release" } } as const;
  const wrapping = { remote: "compass", sharesKeys };
  return {
    north: defineAgent("north", operations, wrapping),
    south: defineAgent("south", operations, wrapping),
  };
}

/** Made once: thousands of processes host them. */
export const thisRelease = agents(() => true);
const { left, right, north, south } = thisRelease;
/** An Agent pool whose service knows a key whichever Agent sends it. */
const sharing = poolOf(z.object({ order: z.string(), from: z.string().nullable() }), {
  sharesKeys: true,
});

const Order = z.object({ order: z.string(), wanted: z.boolean() });
type Order = typeof Order;

/** Short limits: a schedule is to end within seconds of simulated time. */
const brief = {
  startWithin: "1200ms",
  completeWithin: "500ms",
  retry: { failures: 2, backoff: "40ms", max: "150ms" },
  undo: {
    retry: { failures: 2, backoff: "40ms", max: "100ms" },
    coolDown: { wait: "200ms", times: null },
  },
} as const satisfies Partial<StepOptions<unknown>>;

const one = defineWorkflow("one.v1", Order, ({ order }, step) => {
  step("a", { call: left.reserve({ order, from: null }), ...brief });
});

const chain = defineWorkflow("chain.v1", Order, ({ order }, step) => {
  const a = step("a", { call: left.reserve({ order, from: null }), ...brief });
  step("b", { call: right.charge({ order, from: a.id }), ...brief });
});

const told = defineWorkflow("told.v1", Order, ({ order }, step) => {
  const a = step("a", { call: left.reserve({ order, from: null }), ...brief });
  const b = step("b", { call: right.charge({ order, from: a.id }), ...brief });
  const { undo: _none, ...rest } = brief;
  step("c", { call: left.tell({ order, from: b.id }), ...rest });
});

const three = defineWorkflow("three.v1", Order, ({ order }, step) => {
  const a = step("a", { call: left.reserve({ order, from: null }), ...brief });
  const b = step("b", { call: right.charge({ order, from: a.id }), ...brief });
  step("c", { call: left.reserve({ order, from: b.id }), ...brief });
});

const fork = defineWorkflow("fork.v1", Order, ({ order }, step) => {
  const a = step("a", { call: left.reserve({ order, from: null }), ...brief });
  const b = step("b", { call: right.charge({ order, from: null }), after: [], ...brief });
  step("c", { call: right.charge({ order, from: a.id }), after: [a, b], ...brief });
});

const maybe = defineWorkflow("maybe.v1", Order, ({ order, wanted }, step) => {
  const a = step("a", { call: left.reserve({ order, from: null }), ...brief });
  const onlyIf = equals(wanted, true);
  const b = step("b", { call: right.charge({ order, from: a.id }), onlyIf, ...brief });
  step("c", { call: left.reserve({ order, from: b.id }), ...brief });
});

/** It rests before, between and beside its calls, and under a condition. */
const resting = defineWorkflow("resting.v1", Order, ({ order, wanted }, step) => {
  step.sleep("first", { for: "150ms" });
  const a = step("a", { call: left.reserve({ order, from: null }), ...brief });
  const between = step.sleep("between", { for: "300ms" });
  const beside = step.sleep("beside", { for: "450ms", after: [a] });
  const under = step.sleep("under", { for: "80ms", after: [a], onlyIf: equals(wanted, true) });
  step("b", {
    call: right.charge({ order, from: a.id }),
    after: [between, beside, under],
    ...brief,
  });
});

const Numbered = z.strictObject({ n: z.number().int() });

/**
 * It waits for a signal before, between and beside its calls, twice for the same one, and under a
 * condition.
 */
const signalled = defineWorkflow("signalled.v1", Order, ({ order, wanted }, step) => {
  const continued = { signal: Numbered, onDeadline: "continue" } as const;
  step.wait("opening", { ...continued, named: "begun", within: "250ms" });
  const a = step("a", { call: left.reserve({ order, from: null }), ...brief });
  const paid = step.wait("paid", {
    signal: Numbered,
    within: "900ms",
    onDeadline: "fail",
    late: "alert",
  });
  const second = step.wait("second", {
    ...continued,
    named: "paid",
    within: "600ms",
    after: [a],
    onlyIf: equals(wanted, true),
  });
  step("b", { call: right.charge({ order, from: a.id }), after: [paid, second], ...brief });
});

/** It waits for signals, also for ever, beside a call that may halt it. */
const watched = defineWorkflow("watched.v1", Order, ({ order }, step) => {
  const a = step("a", {
    call: left.reserve({ order, from: null }),
    onFailure: "halt",
    ...brief,
  });
  const paid = step.wait("paid", {
    signal: Numbered,
    within: "700ms",
    onDeadline: "fail",
    after: [],
  });
  const go = step.wait("go", {
    signal: Numbered,
    within: "for-ever",
    onDeadline: "continue",
    after: [a],
  });
  const last = step.wait("last", {
    signal: Numbered,
    named: "paid",
    within: "500ms",
    onDeadline: "fail",
    onFailure: "halt",
    after: [a],
  });
  step("b", { call: right.charge({ order, from: a.id }), after: [paid, go, last], ...brief });
});

/**
 * People decide it beside one another: two of them, neither of whom submitted it or is called as
 * the order is; one in whose place the deadline may; and one under a condition, without an end.
 */
const approved = defineWorkflow("approved.v1", Order, ({ order, wanted }, step) => {
  const a = step("a", { call: left.reserve({ order, from: null }), ...brief });
  const release = step.approve("release", {
    audience: "treasury",
    quorum: 2,
    not: ["submitter", order],
    form: Numbered,
    within: "900ms",
    remindAfter: "150ms",
    onDeadline: "reject",
    show: { order },
  });
  const consent = step.approve("consent", {
    audience: "legal",
    within: "600ms",
    onDeadline: "approve",
    after: [a],
  });
  const known = step.approve("known", {
    audience: "press",
    within: "for-ever",
    remindAfter: "300ms",
    onDeadline: "approve",
    after: [a],
    onlyIf: equals(wanted, true),
  });
  const before = [release, consent, known];
  step("b", { call: right.charge({ order, from: a.id }), after: before, ...brief });
});

/** People decide it, also without an end, beside a call that may halt it. */
const judged = defineWorkflow("judged.v1", Order, ({ order }, step) => {
  const a = step("a", {
    call: left.reserve({ order, from: null }),
    onFailure: "halt",
    ...brief,
  });
  const first = step.approve("first", {
    audience: "treasury",
    not: "submitter",
    within: "700ms",
    onDeadline: "fail",
    after: [],
  });
  const endless = step.approve("endless", {
    audience: "legal",
    within: "for-ever",
    onDeadline: "approve",
    after: [a],
  });
  const last = step.approve("last", {
    audience: "treasury",
    quorum: 3,
    within: "500ms",
    onDeadline: "reject",
    onFailure: "halt",
    after: [a],
  });
  step("b", { call: right.charge({ order, from: a.id }), after: [first, endless, last], ...brief });
});

const halting = defineWorkflow("halting.v1", Order, ({ order }, step) => {
  step("a", { call: left.reserve({ order, from: null }), onFailure: "halt", ...brief });
});

const rested = defineWorkflow("rested.v1", Order, ({ order }, step) => {
  const coolDown = { wait: "300ms", times: 1 } as const;
  step("a", { call: left.reserve({ order, from: null }), coolDown, ...brief });
});

const limited = defineWorkflow(
  "limited.v1",
  Order,
  ({ order }, step) => {
    const a = step("a", { call: left.reserve({ order, from: null }), ...brief });
    step("b", { call: right.charge({ order, from: a.id }), ...brief });
  },
  { completeWithin: "2s" },
);

/** What is lost of it is not found by its complete-by time for a long while. */
const patient = defineWorkflow("patient.v1", Order, ({ order }, step) => {
  step("a", { call: left.reserve({ order, from: null }), ...brief, startWithin: "15s" });
});

/**
 * What is lost of its first step cannot be begun any more when it is resent, and what is not lost
 * is still at work, maybe when the other step has failed for good.
 */
const urgent = defineWorkflow("urgent.v1", Order, ({ order }, step) => {
  const limits = { startWithin: "400ms", completeWithin: "2500ms" } as const;
  step("a", { call: left.reserve({ order, from: null }), ...brief, ...limits });
  step("b", { call: right.charge({ order, from: null }), after: [], ...brief });
});

/** Its handler takes longer than one attempt may last without heartbeats. */
const long = defineWorkflow("long.v1", Order, ({ order }, step) => {
  const limits = { completeWithin: "800ms", extendUpTo: "6s" } as const;
  step("long", { call: left.reserve({ order, from: null }), ...brief, ...limits });
});

/** It outlasts an outage: a breaker opens and is probed while it is retried. */
export const { definition: persistent } = defineWorkflow(
  "persistent.v1",
  Order,
  ({ order }, step) => {
    const retry = { failures: 500, backoff: "80ms", max: "150ms" } as const;
    step("a", { call: left.reserve({ order, from: null }), ...brief, retry });
  },
);

/**
 * Each Agent has keys of its own, so only the one that may have done it may do it again, or undo
 * it.
 */
const pooled = defineWorkflow("pooled.v1", Order, ({ order }, step) => {
  const pool = { agents: [north, south] };
  const a = step("a", { call: north.reserve({ order, from: null }), ...pool, ...brief });
  step("b", { call: right.charge({ order, from: a.id }), ...brief });
});

const shared = defineWorkflow("shared.v1", Order, ({ order }, step) => {
  const pool = { agents: [sharing.north, sharing.south] };
  const a = step("a", { call: sharing.north.reserve({ order, from: null }), ...pool, ...brief });
  step("b", { call: right.charge({ order, from: a.id }), ...brief });
});

const Plain = z.strictObject({ order: z.string(), wanted: z.boolean() });
const WithCoupon = z.strictObject({ ...Plain.shape, coupon: z.string().optional() });

/** The versions of one workflow: each does something else. */
export const dealVersions: readonly WorkflowDefinition[] = [
  defineWorkflow("deal.v1", Plain, ({ order }, step) => {
    const a = step("a", { call: left.reserve({ order, from: null }), ...brief });
    step("b", { call: right.charge({ order, from: a.id }), ...brief });
  }),
  defineWorkflow("deal.v2", WithCoupon, ({ order }, step) => {
    const a = step("a", { call: left.reserve({ order, from: null }), ...brief });
    step("b", { call: right.charge({ order, from: null }), after: [a], ...brief });
  }),
  defineWorkflow("deal.v3", WithCoupon, ({ order }, step) => {
    step("b", { call: right.charge({ order, from: null }), ...brief });
  }),
].map(({ definition }) => definition);

/** Whether a version of it takes an order with a coupon. */
export const takesCoupon = (version: string): boolean => version !== "deal.v1";

const workflows: readonly Workflow<Order>[] = [
  ...Array.from({ length: 14 }, () => one),
  chain,
  chain,
  told,
  three,
  fork,
  maybe,
  halting,
  halting,
  rested,
  limited,
  patient,
  patient,
  urgent,
  urgent,
  urgent,
  urgent,
  long,
  long,
  pooled,
  pooled,
  shared,
  resting,
  resting,
  signalled,
  signalled,
  watched,
  watched,
  approved,
  approved,
  judged,
  judged,
];

/** What schedules choose from: what stands here twice, twice as often. */
export const definitions: readonly WorkflowDefinition[] = workflows.map(
  ({ definition }) => definition,
);

/** Whether the remote service knows the keys of a workflow whichever of its Agents sends them. */
export const sharesKeys = ({ remotes = {} }: WorkflowDefinition): boolean =>
  Object.values(remotes).every((remote) => remote.sharesKeys === true);

/** The Agents of the workflows. */
export const agentNames = ["left", "right", "north", "south"] as const;

/** The step whose output a step asks for; null: none. */
export function sourceOf({ input: template }: CallDefinition): string | null {
  const { from } = template as { readonly from: null | { readonly $ref: string } };
  return from === null ? null : (from.$ref.split("/")[2] ?? null);
}
