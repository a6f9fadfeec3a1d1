import type { TaskEvent } from "@holdfast/domain";
import type { Breaker, ClaimedStep } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { replied } from "../../test/state.ts";
import { allowanceOf, allowances, offerAll } from "./allowances.ts";
import {
  newState,
  nextWake,
  type Observation,
  observe,
  printState,
  type SchedulerState,
  type StateSettings,
  type Wakes,
} from "./scheduler-state.ts";

/** What is seen, and when. */
type Seen = readonly [at: number, seen: Observation];

const agent = "payments";
const completed: TaskEvent = { kind: "completed", step: "charge", attempt: 1, token: "t" };
const breaker: Breaker = {
  service: agent,
  state: "closed",
  reason: "",
  held: false,
  openFor: null,
  throttledFor: null,
  age: 60_000,
};

interface World {
  /** Slots of the Agent's instances; none: it sends no heartbeats. */
  readonly slots?: readonly number[];
  readonly busy?: number;
  readonly consumers?: number;
  readonly waiting?: number;
  readonly inFlight?: number;
  readonly own?: number;
  readonly schedulers?: number;
}

/** What a Scheduler sees at its start of a world with one Agent. */
function world({
  slots = [],
  busy = 0,
  consumers = 1,
  waiting = 0,
  inFlight = 0,
  own = inFlight,
  schedulers = 1,
}: World = {}): readonly Seen[] {
  const found = slots.length === 0 ? [] : [{ lane: agent, slots, busy }];
  const queue = { messages: waiting, consumers };
  const seen: readonly Observation[] = [
    { kind: "breakers", found: [] },
    { kind: "slots", found },
    { kind: "lanes", lanes: [agent], unavailable: [] },
    { kind: "schedulers", count: schedulers },
    { kind: "queues", found: [{ agent, queue, isRefused: false }] },
    ...counted({ inFlight, own }),
  ];
  return seen.map((one) => [0, one]);
}

const counting: Observation = { kind: "reading", what: "counts" };
const count = ({ inFlight = 0, own = inFlight }: World): Observation => ({
  kind: "counted",
  counts: [{ lane: agent, inFlight, own, urgent: 0 }],
});
const counted = (counts: World): readonly Observation[] => [counting, count(counts)];

const claimed = (since: number, priority: "normal" | "urgent" = "normal"): Observation => ({
  kind: "claimed",
  claims: [{ agent, priority }],
  since,
});
const returned = (isApplied: boolean): Observation => ({
  kind: "returned",
  agents: [agent],
  outcomes: [
    isApplied ? { applied: true, changes: [] } : { applied: false, reason: "stale_attempt" },
  ],
});
const reply = (since: number, isApplied = true): Observation =>
  replied(agent, completed, { since, isApplied });
const times = (number: number, seen: Seen): readonly Seen[] =>
  Array.from({ length: number }, () => seen);

/** The state after all that was seen, and the loops that the last of it woke. */
function after(
  seen: readonly Seen[],
  settings: Partial<StateSettings> = {},
): { readonly state: SchedulerState; readonly wakes: Wakes } {
  const state = newState({ maxInFlight: 10, ...settings }, 0);
  let wakes: Wakes = [];
  for (const [at, one] of seen) wakes = observe(state, one, at);
  return { state, wakes };
}

interface Row {
  readonly name: string;
  readonly seen: readonly Seen[];
  readonly maxInFlight?: number;
  /** When the claim begins; when the last of it was seen, unless given. */
  readonly at?: number;
  /** How many steps of the Agent the same transaction settles. */
  readonly freed?: number;
  readonly slots: number;
  readonly most: number;
  readonly urgent: number;
}

const rows: readonly Row[] = [
  { name: "nothing is in flight", seen: world(), slots: 10, most: 10, urgent: 11 },
  {
    name: "the breakers have not been read yet",
    seen: world().slice(1),
    slots: 0,
    most: 0,
    urgent: 0,
  },
  {
    name: "the breaker of the service is open, whatever the transaction frees",
    seen: [
      ...world({ inFlight: 3 }),
      [0, { kind: "breakers", found: [{ ...breaker, state: "open", openFor: 5_000 }] }],
    ],
    freed: 5,
    slots: 0,
    most: 0,
    urgent: 0,
  },
  {
    name: "the breaker of the service has closed a quarter of a second ago",
    seen: [...world({ inFlight: 1 }), [0, { kind: "breakers", found: [{ ...breaker, age: 0 }] }]],
    at: 250,
    slots: 7,
    most: 7,
    urgent: 8,
  },
  {
    name: "each slot of an instance stands for two steps",
    seen: world({ slots: [2], inFlight: 1 }),
    slots: 3,
    most: 3,
    urgent: 4,
  },
  {
    name: "of few slots, a step that was settled during a count may be taken off twice",
    seen: [
      ...world({ slots: [2], inFlight: 4 }),
      [100, counting],
      [100, reply(100)],
      [103, count({ inFlight: 3 })],
    ],
    slots: 1,
    most: 1,
    urgent: 2,
  },
  {
    name: "the next count says what is in flight of such a step",
    seen: [
      ...world({ slots: [2], inFlight: 4 }),
      [100, counting],
      [100, reply(100)],
      [103, count({ inFlight: 3 })],
      [200, counting],
      [201, count({ inFlight: 3 })],
    ],
    slots: 1,
    most: 1,
    urgent: 2,
  },
  {
    name: "a third of the slots is kept free for such steps at most",
    seen: [
      ...world({ slots: [10], inFlight: 20 }),
      [100, counting],
      ...times(10, [100, reply(100)]),
      [103, count({ inFlight: 10 })],
    ],
    maxInFlight: 200,
    slots: 13,
    most: 13,
    urgent: 15,
  },
  {
    name: "an Agent without heartbeats keeps nothing free for them",
    seen: [
      ...world({ inFlight: 10 }),
      [100, counting],
      [100, reply(100)],
      [103, count({ inFlight: 9 })],
    ],
    slots: 2,
    most: 2,
    urgent: 3,
  },
  {
    name: "a step that is claimed while a count runs is counted, whatever the count says",
    seen: [...world(), [100, counting], [101, claimed(100)], [102, count({ inFlight: 0 })]],
    slots: 9,
    most: 9,
    urgent: 10,
  },
  {
    name: "a count that failed leaves what was known",
    seen: [
      ...world({ inFlight: 4 }),
      [100, counting],
      [101, claimed(100)],
      [102, { kind: "counted", counts: null }],
    ],
    slots: 5,
    most: 5,
    urgent: 6,
  },
  {
    name: "urgent steps may be claimed beyond the limit, by a tenth of it",
    seen: world({ slots: [10], inFlight: 20 }),
    maxInFlight: 200,
    slots: 0,
    most: 0,
    urgent: 2,
  },
  {
    name: "urgent steps that were claimed beyond the limit leave none",
    seen: [...world({ slots: [10], inFlight: 20 }), ...times(2, [1, claimed(1, "urgent")])],
    maxInFlight: 200,
    slots: 0,
    most: -2,
    urgent: 0,
  },
  {
    name: "while urgent steps come, others have what the Agent works at, as much again, and a few",
    seen: [...world({ slots: [100], busy: 10 }), [1, claimed(1, "urgent")]],
    maxInFlight: 200,
    slots: 44,
    most: 44,
    urgent: 219,
  },
  {
    name: "two seconds after the last urgent step others have the whole limit again",
    seen: [...world({ slots: [100], busy: 10 }), [1, claimed(1, "urgent")]],
    at: 2_001,
    maxInFlight: 200,
    slots: 199,
    most: 199,
    urgent: 219,
  },
  {
    name: "a reply frees a slot before it is recorded",
    seen: world({ inFlight: 10 }),
    freed: 2,
    slots: 2,
    most: 2,
    urgent: 3,
  },
  {
    name: "a reply that is refused frees none",
    seen: [...world({ inFlight: 10 }), [1, reply(1, false)]],
    slots: 0,
    most: 0,
    urgent: 1,
  },
  {
    name: "a request that comes back frees a slot without a claim",
    seen: [...world({ inFlight: 10 }), [1, returned(true)]],
    slots: 1,
    most: 1,
    urgent: 2,
  },
  {
    name: "of few slots, one that comes back frees none before the next count, for any count may have overlapped it",
    seen: [...world({ slots: [5], inFlight: 10 }), [1, returned(true)]],
    maxInFlight: 200,
    slots: 0,
    most: 0,
    urgent: 1,
  },
  {
    name: "more was freed than was counted",
    seen: [...world({ inFlight: 0 }), [1, reply(1)]],
    slots: 10,
    most: 10,
    urgent: 11,
  },
  {
    name: "of several Schedulers each has its share, and as much again for what it makes due",
    seen: world({ inFlight: 32, own: 7, schedulers: 4 }),
    slots: 3,
    most: 48,
    urgent: 52,
  },
  {
    name: "an Agent without a consumer gets the one request that finds out when that ends",
    seen: world({ consumers: 0 }),
    slots: 1,
    most: 1,
    urgent: 2,
  },
];

test.each(rows)("of an Agent so much may be claimed: $name", (row) => {
  const { seen, maxInFlight = 10, freed = 0 } = row;
  const { state } = after(seen, { maxInFlight });
  const now = row.at ?? seen.at(-1)?.[0] ?? 0;
  const { slots, most, urgent } = row;
  expect(allowanceOf(state, agent, { now, freed })).toEqual({ slots, most, urgent });
});

const claim: ClaimedStep = {
  taskId: "00000000-0000-4000-8000-000000000001",
  name: "charge",
  lane: agent,
  agent,
  workflow: "pay.v1",
  attempt: 1,
  token: "t",
  startBy: 30_000,
  completeBy: 35_000,
  now: 0,
  keyGeneration: 0,
  priority: "normal",
  taskInput: { card: "4111" },
};
const publishing: Observation = { kind: "publishing", claim, claimedAt: 0 };
const confirmed: Observation = { kind: "confirmed", token: "t" };

const wakeRows: readonly (readonly [string, readonly Seen[], Wakes])[] = [
  [
    "an Agent that was full gets slots",
    [...world({ inFlight: 10 }), [100, counting], [101, count({})]],
    [{ loop: "claim", in: 0 }],
  ],
  [
    "an Agent that had slots has more",
    [...world({ inFlight: 5 }), [100, counting], [101, count({})]],
    [],
  ],
  ["a step is claimed after the last count ended", [...world(), [1, claimed(1)]], []],
  [
    "a step is claimed before the last count ended",
    [...world(), [1, claimed(-1)]],
    [{ loop: "count", in: 99 }],
  ],
  ["a count runs while a step is claimed", [...world(), [100, counting], [101, claimed(100)]], []],
  [
    "that count ends",
    [...world(), [100, counting], [101, claimed(100)], [102, count({})]],
    [{ loop: "count", in: 98 }],
  ],
  [
    "a request comes back",
    [...world({ inFlight: 1 }), [1, returned(true)]],
    [
      { loop: "claim", in: 0 },
      { loop: "count", in: 99 },
    ],
  ],
  ["a request is published", [[1, publishing]], [{ loop: "outages", in: 300 }]],
  [
    "a request is confirmed",
    [
      [1, publishing],
      [2, confirmed],
    ],
    [{ loop: "confirm", in: 100 }],
  ],
  [
    "a request is confirmed late",
    [
      [1, publishing],
      [600, confirmed],
    ],
    [
      { loop: "confirm", in: 100 },
      { loop: "outages", in: 0 },
    ],
  ],
  [
    "a request is confirmed that was answered before",
    [
      [1, publishing],
      [2, reply(1)],
      [3, confirmed],
    ],
    [],
  ],
  ["the broker is new", [[1, { kind: "brokerIsNew" }]], [{ loop: "resend", in: 0 }]],
  [
    "steps are due, and breakers have changed",
    [[1, { kind: "dueByBreakers" }]],
    [{ loop: "remotes", in: 0 }],
  ],
  [
    "the breakers are read for the first time",
    [[1, { kind: "breakers", found: [] }]],
    [{ loop: "claim", in: 0 }],
  ],
  [
    "the breakers are read again",
    [
      [1, { kind: "breakers", found: [] }],
      [2, { kind: "breakers", found: [] }],
    ],
    [],
  ],
];

test.each(wakeRows)("these loops are woken when %s", (_, seen, wakes) => {
  expect(after(seen).wakes).toEqual(wakes);
});

test("a pool's Agent that was chosen last is remembered by what was offered, not by asking", () => {
  const pool = "a+b";
  const queue = { messages: 0, consumers: 1 };
  const { state } = after([
    [0, { kind: "breakers", found: [] }],
    [0, { kind: "lanes", lanes: [pool], unavailable: [] }],
    [
      0,
      { kind: "queues", found: ["a", "b"].map((one) => ({ agent: one, queue, isRefused: false })) },
    ],
  ]);
  const ask = () => allowances(state, [pool], { now: 0 });
  expect([ask()[0]?.agent, ask()[0]?.agent]).toEqual(["a", "a"]);
  observe(state, { kind: "offered", to: "all", lanes: ask(), offered: ask() }, 0);
  expect(ask()[0]?.agent).toBe("b");
});

test("asking what may be claimed changes nothing", () => {
  const { state } = after(world({ slots: [40], inFlight: 7 }), { batchReserve: 25 });
  const before = printState(state);
  for (let time = 0; time < 3; time += 1) {
    offerAll(state.admission, allowances(state, [agent], { now: 5, freed: [agent] }));
    nextWake(state, "remotes", 5);
  }
  expect(printState(state)).toBe(before);
});

test("the state is printed as JSON that leaves nothing out but payloads", () => {
  const { state } = after([
    ...world({ slots: [2], inFlight: 1 }),
    [1, publishing],
    [2, { kind: "building", claims: [claim] }],
    [3, reply(3)],
    [4, publishing],
  ]);
  const printed = JSON.parse(printState(state));
  const { taskInput: _, ...printedClaim } = claim;
  expect(printed).toMatchObject({
    admission: {
      agents: { payments: { inFlight: 0, own: 0, queue: { consumers: 1 } } },
      advertised: { payments: { slots: [2] } },
      unavailable: [],
    },
    remotes: { services: { payments: { breaker: null } } },
    requests: { open: { t: { claim: printedClaim } }, building: [printedClaim] },
  });
  expect(printState(state)).not.toContain("4111");
  // No number is lost: what has no value is null in the state, too.
  const numbers: unknown[] = [];
  JSON.stringify(state, (__, part: unknown) => {
    if (typeof part === "number") numbers.push(part);
    return part instanceof Map ? Object.fromEntries(part) : part;
  });
  expect(numbers.filter((one) => !Number.isFinite(one))).toEqual([]);
});
