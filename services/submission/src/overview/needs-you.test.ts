import { type BrokerView, type CauseKind, causeKinds, unseenBroker } from "@holdfast/diagnosis";
import type {
  ListedAgent,
  OverviewFacts,
  PathFacts,
  RemoteRecord,
  SeenInbox,
} from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { findAgentDemands } from "./needs-you.ts";

const since = new Date("2026-11-24T10:00:00Z");
const calm: OverviewFacts = {
  now: new Date("2026-11-24T10:05:00Z"),
  states: {},
  haltedSince: null,
  pausedTasks: 0,
  tasksPausedSince: null,
  deadLetters: 0,
  deadLettersSince: null,
  outboxFor: null,
  alerts: [],
  pauses: [],
};
const agent: ListedAgent = {
  name: "hotels",
  living: 1,
  slots: 5,
  inFlight: 0,
  due: 3,
  dueFor: 10,
  paused: null,
  instances: [],
};
const remote: RemoteRecord = {
  service: "hotels.example",
  agents: ["hotels"],
  state: "closed",
  since,
  actor: null,
  reason: null,
  held: false,
  openUntil: null,
  throttledUntil: null,
  probeTaskId: null,
  probeStep: null,
  heldSteps: 0,
  heldTasks: [],
  lastFault: null,
};

const process = (service: "scheduler" | "supervisor", seenAt = calm.now, living = true) => ({
  service,
  living,
  seenAt,
  takesEnqueued: false,
});
const processes = [process("scheduler"), process("supervisor")];

const needs = ({
  facts = {},
  agents = [agent],
  remotes = [remote],
  instances = processes,
  broker = unseenBroker,
  paths = { unproven: [], outages: [] },
  inbox = { waiting: 0, waitingFor: null, refused: [] },
}: {
  readonly facts?: Partial<OverviewFacts>;
  readonly agents?: readonly ListedAgent[];
  readonly remotes?: readonly RemoteRecord[];
  readonly instances?: typeof processes;
  readonly broker?: BrokerView;
  readonly paths?: PathFacts;
  readonly inbox?: SeenInbox;
}) =>
  findAgentDemands({
    facts: { ...calm, ...facts },
    agents,
    remotes,
    instances,
    heartbeating: new Set(["hotels"]),
    broker,
    paths,
    inbox,
  }).map(({ kind, count, sentence, page }) => [kind, count, sentence, page]);

test("a calm system needs no operator", () => {
  expect(needs({ facts: { outboxFor: 100 } })).toEqual([]);
});

test("each thing that waits for an operator is one sentence, and leads to the page that shows it", () => {
  const found = needs({
    facts: {
      states: { halted: 2 },
      haltedSince: since,
      pausedTasks: 1,
      deadLetters: 1,
      outboxFor: 125_000,
      alerts: [{ kind: "undo.failing", alerts: 2, since: since.toISOString(), detail: "it fails" }],
      pauses: [
        {
          kind: "workflow",
          name: "trip.v1",
          actor: "ann",
          reason: "a bug",
          since: since.toISOString(),
        },
      ],
    },
    agents: [{ ...agent, living: 0, inFlight: 1 }],
    remotes: [{ ...remote, state: "open", heldSteps: 7 }],
  });
  expect(found).toEqual([
    [
      "paused",
      1,
      "The workflow trip.v1 is paused by ann since 2026-11-24T10:00:00.000Z (5 min ago) because: a bug.",
      "/workflows/trip.v1",
    ],
    [
      "breaker",
      7,
      "The remote service hotels.example fails. Its breaker is open since 2026-11-24T10:00:00.000Z (5 min ago): its reason was not written down. It holds back 7 due steps. From an unknown time on one step is tried.",
      "/agents/hotels",
    ],
    [
      "agentSilent",
      4,
      "No process serves the Agent hotels, and 4 steps wait for it.",
      "/agents/hotels",
    ],
    [
      "halted",
      2,
      "2 tasks have halted and wait for you to resubmit, resolve or undo.",
      "/failures",
    ],
    [
      "deadLetters",
      1,
      "1 message could not be read or used: replay or discard it.",
      "/system/dead-letters",
    ],
    ["outbox", 1, "The oldest notification has waited for 2 minutes to be sent.", "/system"],
    [
      "alert",
      2,
      "2 alerts undo.failing in the last hour, the last one: it fails",
      "/system/doctor",
    ],
    [
      "paused",
      1,
      "1 task is paused: nothing more of it starts until you resume it.",
      "/tasks?state=open",
    ],
  ]);
});

test.each([
  ["has nothing to do", { ...agent, living: 0, due: 0 }],
  ["never sends heartbeats", { ...agent, name: "mail", living: 0 }],
])("an Agent that %s is not missed", (_, one) => {
  expect(needs({ agents: [one] })).toEqual([]);
});

test("a breaker that holds nothing back is not shown unless an operator holds it", () => {
  expect(needs({ remotes: [{ ...remote, state: "open" }] })).toEqual([]);
  expect(needs({ remotes: [{ ...remote, state: "open", held: true }] })).toHaveLength(1);
});

test("Agents that only Schedulers could notice are not accused while none runs", () => {
  const stopped = new Date(calm.now.getTime() - 25_000);
  const lastSeen = stopped.getTime() - 500;
  const silent = { ...agent, living: 0, instances: [{ lastSeen }] } as unknown as ListedAgent;
  const seen = (at: Date, living: boolean) =>
    needs({
      agents: [silent],
      instances: [process("scheduler", at, living), process("supervisor")],
    }).map(([kind]) => kind);
  // Stopped a moment ago, and not yet missed.
  expect(seen(stopped, true)).toEqual([]);
  expect(seen(stopped, false)).toEqual(["scheduler"]);
  expect(seen(calm.now, true)).toEqual(["agentSilent"]);
});

const pausedAs = (kind: "agent" | "workflow", name: string): OverviewFacts["pauses"] => [
  { kind, name, actor: "ann", reason: "a bug", since: since.toISOString() },
];
const heldBack = [{ ...remote, state: "open", heldSteps: 7 }] as const;
const broken = { breaker: "open", living: true, lastSeen: calm.now.getTime(), openUntil: null };

/**
 * What shows each cause, and the need that it is; of a queue at the broker the overview knows
 * nothing.
 */
const shows: Readonly<Record<CauseKind, readonly [Parameters<typeof needs>[0], string] | null>> = {
  scheduler: [{ instances: [process("supervisor")] }, "scheduler"],
  broker: [{ broker: { ...unseenBroker, blocked: "low on disk" } }, "broker"],
  replies: [
    { paths: { unproven: [{ queue: "q", trouble: null, silentSince: 0 }], outages: [] } },
    "replies",
  ],
  supervisor: [{ instances: [process("scheduler")] }, "supervisor"],
  inbox: [{ inbox: { waiting: 3, waitingFor: 30_000, refused: [] } }, "inbox"],
  workflowPaused: [{ facts: { pauses: pausedAs("workflow", "trip.v1") } }, "paused"],
  agentPaused: [{ facts: { pauses: pausedAs("agent", "hotels") } }, "paused"],
  remote: [{ remotes: heldBack }, "breaker"],
  agentQueue: null,
  agentSilent: [{ agents: [{ ...agent, living: 0 }] }, "agentSilent"],
  circuits: [{ agents: [{ ...agent, instances: [broken] as never }] }, "breaker"],
};
test.each(causeKinds)("the cause %s alone is one need of the overview", (kind) => {
  const shown = shows[kind];
  if (shown !== null) expect(needs(shown[0]).map(([need]) => need)).toEqual([shown[1]]);
});

test("a remote service that asked to be left alone, and holds steps back, is a need", () => {
  const throttled = { ...remote, throttledUntil: new Date(calm.now.getTime() + 1_000) };
  expect(needs({ remotes: [{ ...throttled, heldSteps: 3 }] })).toEqual([
    ["breaker", 3, expect.stringContaining("asked to be left alone until"), "/agents/hotels"],
  ]);
  expect(needs({ remotes: [throttled] })).toEqual([]);
});

test("what was refused of an application is a need", () => {
  const at = since.toISOString();
  const refused = [
    { kind: "submission", submitter: "shop", code: "task.invalid", number: 2, latest: at },
    { kind: "signal", submitter: "shop", code: "signal.too_late", number: 1, latest: at },
  ] as const;
  expect(needs({ inbox: { waiting: 0, waitingFor: null, refused } })).toEqual([
    [
      "refused",
      2,
      "2 submissions of shop in a transaction were refused with task.invalid in the last hour.",
      "/system/doctor",
    ],
    [
      "refused",
      1,
      "1 signal of shop in a transaction was refused with signal.too_late in the last hour.",
      "/system/doctor",
    ],
  ]);
});

test("an alert of what is a need already is not shown too", () => {
  const alerts = [
    { kind: "breaker.opened", alerts: 1, since: since.toISOString(), detail: "it fails" },
  ];
  const open = { ...remote, state: "half-open", heldSteps: 7 } as const;
  expect(needs({ facts: { alerts }, remotes: [open] }).map(([kind]) => kind)).toEqual(["breaker"]);
  expect(needs({ facts: { alerts } }).map(([kind]) => kind)).toEqual(["alert"]);
});

test("names that others chose cannot lead out of the console", () => {
  const pauses = [
    { kind: "workflow", name: "../../x?y#z", actor: "a", reason: "b", since: since.toISOString() },
  ] as const;
  expect(needs({ facts: { pauses } })[0]?.[3]).toBe("/workflows/..%2F..%2Fx%3Fy%23z");
});
