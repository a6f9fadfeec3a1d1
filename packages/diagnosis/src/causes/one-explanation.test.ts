import { agentQueue, replyQueue } from "@holdfast/contracts";
import type { AgentDemand, PauseInForce, RemoteFacts } from "@holdfast/state-store";
import { describe, expect, test } from "@jest/globals";
import { queueOf, broker as sound } from "../../test/broker-facts.ts";
import {
  breaker,
  broker,
  charge,
  facts,
  instances,
  lane,
  noon,
  pause,
} from "../../test/task-facts.ts";
import { checkCauses } from "../doctor/check-causes.ts";
import type { StoreFacts } from "../doctor/collect-facts.ts";
import { explain } from "../why/explain.ts";
import { enqueuedSentence } from "../why/explain-task.ts";
import type { Facts } from "../why/facts.ts";
import { type Cause, type CauseKind, causeKinds } from "./cause.ts";
import { findCauses } from "./find-causes.ts";
import { emptyInbox, type SystemSources, systemFacts } from "./system-facts.ts";

const remote: RemoteFacts = {
  ...breaker,
  agents: ["payments"],
  lastFault: { code: "psp.unreachable", detail: "psp does not answer", at: noon - 3_000 },
};
const payments = {
  name: "payments",
  waiting: null,
  living: 2,
  broken: 0,
  brokenUntil: null,
  lastSeen: noon,
  announces: true,
};
const well: SystemSources = {
  now: noon,
  broker,
  instances,
  inbox: emptyInbox,
  unproven: [],
  outages: [],
  pauses: [],
  agents: [payments],
  remotes: [],
};
const others = (service: string) => instances.filter((one) => one.service !== service);
const waiting = { waiting: 3, waitingFor: 30_000 };
const gone = instances.map((one) => ({ ...one, living: false }));

/** What shows each cause alone. */
const shows: Readonly<Record<CauseKind, Partial<SystemSources>>> = {
  scheduler: { broker: { ...broker, schedulers: 0 } },
  broker: { broker: { ...broker, blocked: "low on disk" } },
  replies: { unproven: [{ queue: replyQueue, trouble: "x", silentSince: noon - 9_000 }] },
  supervisor: { instances: [...others("supervisor"), gone[1]!] },
  inbox: { instances: [...others("submission"), gone[2]!], inbox: waiting },
  workflowPaused: { pauses: [{ kind: "workflow", name: "shopping.v1", paused: pause }] },
  agentPaused: { pauses: [{ kind: "agent", name: "payments", paused: pause }] },
  remote: { remotes: [remote] },
  agentQueue: { broker: { ...broker, consumers: { payments: null } } },
  agentSilent: { broker: { ...broker, consumers: { payments: 0 } } },
  circuits: {
    broker: { ...broker, consumers: { payments: 0 } },
    agents: [{ ...payments, broken: 2 }],
  },
};

/** Silence is judged once an attempt is over; before that it says nothing of these. */
const ofSilence: ReadonlySet<CauseKind> = new Set(["replies", "supervisor"]);

/** What `why` is given where a system is like this. */
function taskFacts({ pauses, agents, remotes, ...looked }: SystemSources): Facts {
  const [agent = payments] = agents;
  const pauseOf = (kind: string) => pauses.find((one) => one.kind === kind)?.paused ?? null;
  return {
    ...facts,
    ...looked,
    instances,
    ...(looked.instances === null ? {} : { instances: looked.instances as typeof instances }),
    workflowPaused: pauseOf("workflow"),
    lanes: [
      {
        ...lane,
        paused: pauseOf("agent"),
        instances: agent.living,
        broken: agent.broken,
        lastSeen: agent.lastSeen,
        breaker: remotes[0] ?? null,
      },
    ],
  };
}

const overdue = { ...charge, processState: "processing", completeBy: noon - 1 } as const;

/** What doctor finds where a system is like this. */
function doctor(sources: SystemSources) {
  const { broker: look, instances: seen, unproven, outages, pauses, agents, remotes } = sources;
  const { inbox } = sources;
  const [agent = payments] = agents;
  const need: AgentDemand = {
    agent: "payments",
    workflows: ["shopping.v1"],
    openSteps: 1,
    living: agent.living,
    resting: agent.broken,
    restingUntil: null,
    lastSeen: agent.lastSeen,
    announces: agent.announces,
    longest: 1_000,
    longestStep: "shopping.v1/charge",
  };
  const inForce = pauses.map(
    ({ kind, name, paused: { by: actor, reason, at } }): PauseInForce => ({
      kind,
      name,
      actor,
      reason: reason ?? "",
      pausedAt: new Date(at),
    }),
  );
  const contents = {
    needs: [need],
    breakers: remotes,
    paths: { unproven, outages },
    instances: seen,
    inbox: { ...inbox, refused: [] },
    pauses: { inForce, tasks: 0 },
  };
  const consumers = look.consumers["payments"];
  const queues = [
    queueOf({ name: replyQueue, consumers: look.schedulers ?? 0 }),
    queueOf({
      name: agentQueue("payments"),
      consumers: consumers ?? 0,
      state: consumers === null ? "missing" : "there",
    }),
  ];
  return checkCauses(
    {
      store: { contents } as unknown as StoreFacts,
      broker: { ...sound, blocked: look.blocked, queues },
    },
    noon,
  );
}

const causeOf = (kind: CauseKind): Cause => {
  const causes = findCauses(systemFacts({ ...well, ...shows[kind] }));
  expect(causes.map((one) => one.kind)).toEqual([kind]);
  return causes[0]!;
};

describe.each(causeKinds)("the cause %s", (kind) => {
  test("is in the words of why", () => {
    const { sentence, act } = causeOf(kind);
    if (kind === "inbox") {
      const asked = { ...well, ...shows[kind] };
      const enqueued = { submitter: "shop", waitingFor: 30_000 };
      expect(enqueuedSentence(enqueued, asked)).toContain(`${sentence} ${act}`);
      return;
    }
    const step = ofSilence.has(kind) ? overdue : charge;
    const asked = explain({ ...taskFacts({ ...well, ...shows[kind] }), steps: [step] }).sentence;
    // Why says at once how long the silence of this step may go on.
    if (kind === "replies")
      expect(asked).toContain("Whether a reply could have arrived is not known");
    else expect(asked).toContain(`${sentence} ${act}`);
  });

  test("is a finding of doctor, with its one act, unless an operator requested it", () => {
    const { sentence, act } = causeOf(kind);
    const isPause = kind === "workflowPaused" || kind === "agentPaused";
    const wrong = doctor({ ...well, ...shows[kind] }).filter(({ state }) => state === "wrong");
    // Doctor counts what waits, and names who needs it.
    const start = sentence.slice(0, -1).replace(/ It holds back.*/, "");
    expect(wrong.map(({ text, advice }) => [text.startsWith(start), advice])).toEqual(
      isPause ? [] : [[true, act]],
    );
  });
});

test("doctor calls what was looked at and has no cause fine, and a breaker that an operator holds no fault", () => {
  const held = { ...remote, held: true };
  const found = doctor({ ...well, remotes: [held] });
  expect(found.map(({ code, state }) => [code, state])).toEqual([
    ["remotes.breakers", "fine"],
    ["broker.alarms", "fine"],
    ["agents.present", "fine"],
    ["inbox.waiting", "fine"],
  ]);
});

test("heartbeats count where the broker was not asked, and only where a Scheduler was there to miss one", () => {
  const unseen = { ...broker, schedulers: null, consumers: {} };
  const silent = { ...payments, living: 0, lastSeen: noon - 10_000 };
  const kinds = (changes: Partial<SystemSources>) =>
    findCauses(systemFacts({ ...well, broker: unseen, ...changes })).map(({ kind }) => kind);
  expect(kinds({ agents: [silent] })).toEqual(["agentSilent"]);
  expect(kinds({ agents: [{ ...silent, announces: false }] })).toEqual([]);
  const stopped = instances.map((one) => ({ ...one, seenAt: new Date(noon - 9_000) }));
  expect(kinds({ agents: [silent], instances: stopped })).toEqual([]);
  expect(
    kinds({ agents: [silent], instances: gone.map((one, at) => (at === 0 ? one : instances[1]!)) }),
  ).toContain("scheduler");
  expect(kinds({ instances: null })).toEqual([]);
});
