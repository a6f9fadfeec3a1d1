import type { ListedAgent, OverviewFacts, RemoteRecord } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { findNeeds } from "./needs-you.ts";

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
};

const needs = ({
  facts = {},
  agents = [agent],
  remotes = [remote],
}: {
  readonly facts?: Partial<OverviewFacts>;
  readonly agents?: readonly ListedAgent[];
  readonly remotes?: readonly RemoteRecord[];
}) =>
  findNeeds({
    facts: { ...calm, ...facts },
    agents,
    remotes,
    heartbeating: new Set(["hotels"]),
  }).map(({ kind, count, sentence, page }) => [kind, count, sentence, page]);

test("a calm system needs no operator", () => {
  expect(needs({ facts: { outboxFor: 100 } })).toEqual([]);
});

test("each thing that waits for an operator is one sentence, and leads to the page that shows it", () => {
  const found = needs({
    facts: {
      states: { error: 2 },
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
      "halted",
      2,
      "2 tasks have halted and wait for you to resubmit, resolve or undo.",
      "/failures",
    ],
    ["agentSilent", 4, "The Agent hotels is silent, and 4 steps wait for it.", "/agents/hotels"],
    [
      "breaker",
      7,
      "The breaker of hotels.example is open: it holds back 7 due steps.",
      "/agents/hotels",
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
    ["paused", 1, "The workflow trip.v1 is paused by ann: a bug", "/workflows/trip.v1"],
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

test("names that others chose cannot lead out of the console", () => {
  const pauses = [
    { kind: "workflow", name: "../../x?y#z", actor: "a", reason: "b", since: since.toISOString() },
  ] as const;
  expect(needs({ facts: { pauses } })[0]?.[3]).toBe("/workflows/..%2F..%2Fx%3Fy%23z");
});
