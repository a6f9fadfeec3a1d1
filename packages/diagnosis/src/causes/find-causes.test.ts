import { describe, expect, test } from "@jest/globals";
import { breaker, noon, pause } from "../../test/task-facts.ts";
import { type AgentState, type CauseKind, causeKinds, type SystemFacts } from "./cause.ts";
import { findCauses } from "./find-causes.ts";
import { emptyInbox } from "./system-facts.ts";

const well: SystemFacts = {
  now: noon,
  schedulers: { living: 2, lastSeen: noon },
  supervisors: { living: 1, lastSeen: noon },
  takers: { living: 1, lastSeen: noon },
  inbox: emptyInbox,
  broker: { unreachable: null, blocked: null },
  unproven: [],
  outages: [],
  workflows: [],
  agents: [],
  remotes: [],
};
const agent = (name: string, changes: Partial<AgentState>): Pick<SystemFacts, "agents"> => ({
  agents: [
    {
      name,
      paused: null,
      waiting: 4,
      isServed: true,
      hasQueue: true,
      lastSeen: noon - 60_000,
      broken: null,
      ...changes,
    },
  ],
});
const gone = { living: 0, lastSeen: noon - 30_000 };
const lastFault = { code: "psp.unreachable", detail: "psp does not answer", at: noon - 3_000 };

/** What shows each cause alone. */
const shows: Readonly<Record<CauseKind, Partial<SystemFacts>>> = {
  scheduler: { schedulers: gone },
  broker: { broker: { unreachable: null, blocked: "low on disk" } },
  replies: { unproven: [{ queue: "scheduler.replies", trouble: "x", silentSince: noon - 9_000 }] },
  supervisor: { supervisors: gone },
  inbox: { takers: gone, inbox: { waiting: 3, waitingFor: 30_000 } },
  workflowPaused: { workflows: [{ name: "trip.v1", paused: pause }] },
  agentPaused: agent("paused", { paused: pause }),
  remote: { remotes: [{ ...breaker, agents: ["payments"], lastFault }] },
  agentQueue: agent("missing", { hasQueue: false, isServed: null }),
  agentSilent: agent("silent", { isServed: false }),
  circuits: agent("broken", { isServed: false, broken: { until: noon + 5_000 } }),
};

/** What is not shown beside the first of each. */
const explained: Readonly<Partial<Record<CauseKind, CauseKind>>> = {
  scheduler: "replies",
  broker: "replies",
};

const both = (one: Partial<SystemFacts>, other: Partial<SystemFacts>): SystemFacts => ({
  ...well,
  ...one,
  ...other,
  agents: [...(one.agents ?? []), ...(other.agents ?? [])],
});

const pairs = causeKinds.flatMap((first, index) =>
  causeKinds.slice(index + 1).map((second) => [first, second] as const),
);

test.each(pairs)(
  "of two causes %s stands before %s, in whatever order they were found",
  (...pair) => {
    const [first, second] = pair;
    const expected = explained[first] === second ? [first] : pair;
    for (const facts of [both(shows[first], shows[second]), both(shows[second], shows[first])]) {
      expect(findCauses(facts).map(({ kind }) => kind)).toEqual(expected);
    }
  },
);

test.each(causeKinds)("the cause %s alone is a sentence with one act that helps", (kind) => {
  const [cause, ...others] = findCauses({ ...well, ...shows[kind] });
  expect(others).toEqual([]);
  expect(cause).toMatchObject({ kind });
  for (const text of [cause?.sentence, cause?.act]) {
    expect(text).toMatch(/^[A-Z].+\.$/);
    expect(text).not.toMatch(/null|undefined|NaN|Invalid/);
  }
});

test("a broker that cannot be reached from here is a cause, and so are ways that were slow", () => {
  const kinds = (changes: Partial<SystemFacts>) =>
    findCauses({ ...well, ...changes }).map(({ kind, sentence }) => [kind, sentence]);
  expect(kinds({ broker: { unreachable: "connect ECONNREFUSED", blocked: null } })).toEqual([
    ["broker", expect.stringContaining("cannot be reached from here (connect ECONNREFUSED)")],
  ]);
  const outages = [{ part: "requests", since: noon - 9_000 }] as const;
  expect(kinds({ outages })).toEqual([
    ["replies", expect.stringContaining("What is sent as requests may have arrived late since")],
  ]);
});

test("a system that is well has no cause, and what was not looked at is none", () => {
  expect(findCauses(well)).toEqual([]);
  const unknown = { ...well, schedulers: null, supervisors: null, takers: null };
  expect(findCauses({ ...unknown, ...agent("x", { isServed: null }) })).toEqual([]);
});

describe("a remote service that fails", () => {
  const sentence = (changes: object) =>
    findCauses({
      ...well,
      remotes: [{ ...breaker, agents: ["payments"], lastFault, ...changes }],
    })[0]?.sentence;

  test("is named by its own last fault, and its breaker after that", () => {
    expect(sentence({ reason: "A probe failed: agent.circuit_open" })).toBe(
      "The remote service psp fails with psp.unreachable: psp does not answer, last at 2026-01-01T11:59:57.000Z (3 s ago). Its breaker is open since 2026-01-01T11:59:57.000Z (3 s ago): A probe failed: agent.circuit_open. It holds back 12 due steps. From 2026-01-01T12:00:02.000Z (in 2 s) on one step is tried.",
    );
  });

  test("hides the breakers of its Agents' instances, which follow from it", () => {
    const broken = agent("payments", { isServed: false, broken: { until: noon } });
    const remotes = [{ ...breaker, agents: ["payments"], lastFault }];
    expect(findCauses({ ...well, ...broken, remotes }).map(({ kind }) => kind)).toEqual(["remote"]);
  });
});

describe("submissions that wait in the inbox", () => {
  const sentences = (waitingFor: number, takers: SystemFacts["takers"] = well.takers) =>
    findCauses({ ...well, takers, inbox: { waiting: 1, waitingFor } }).map(
      ({ sentence }) => sentence,
    );

  test("are no cause before a process should have taken them", () => {
    expect(sentences(9_000, gone)).toEqual([]);
    expect(sentences(59_000)).toEqual([]);
    expect(sentences(59_000, null)).toEqual([]);
  });

  test("wait for a process, if none takes any, and for better ones if these fail", () => {
    expect(sentences(10_000, gone)).toEqual([
      "No process of submission makes tasks, the last was seen at 2026-01-01T11:59:30.000Z (30 s ago): 1 submission of applications waits in the inbox since 2026-01-01T11:59:50.000Z (10 s ago).",
    ]);
    expect(sentences(60_000)).toEqual([
      "1 submission of applications waits in the inbox since 2026-01-01T11:59:00.000Z (60 s ago), although submission runs: its processes fail, or are too slow.",
    ]);
  });
});
