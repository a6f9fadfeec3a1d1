import { randomUUID } from "node:crypto";
import { replyQueues } from "@holdfast/contracts";
import type { Logger } from "@holdfast/runtime";
import type { Expired, ReportedTaskEvent } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { recoverExpiredSteps } from "./recover-expired-steps.ts";

interface World {
  readonly steps?: number;
  /** Tasks whose own limit has passed. */
  readonly taskIds?: readonly string[];
  readonly nextIn?: number | null;
  /**
   * The number of queues for which probes have shown that replies would have arrived; all unless
   * given.
   */
  readonly proven?: number;
  /** Milliseconds for which probes have been on their way. */
  readonly outFor?: number;
  /** Whether an outage fell into the attempts. */
  readonly isExcused?: boolean;
  /** Reports of Schedulers that they hold replies which they cannot record. */
  readonly unrecorded?: number;
  readonly hold?: number;
}

/** One scan of a store in which so many steps are overdue. */
async function scan({ steps = 0, taskIds = [], nextIn = null, hold = 0, ...world }: World) {
  const { proven, outFor = 0, isExcused = false, unrecorded = 0 } = world;
  const applied: ReportedTaskEvent[] = [];
  const outages: unknown[] = [];
  let hints = 0;
  let asked = 0;
  const expired: Expired = {
    steps: Array.from({ length: steps }, () => ({
      taskId: randomUUID(),
      step: "charge",
      attempt: 1,
      token: randomUUID(),
      overdue: 100,
      proven: proven ?? replyQueues.length,
      excused: isExcused,
    })),
    taskIds,
    nextIn,
  };
  const recover = recoverExpiredSteps({
    store: {
      findExpired: async () => expired,
      rememberOutage: async (outage) => void outages.push(outage),
      applyEvents: async (reportedEvents) => {
        applied.push(...reportedEvents);
        return {
          outcomes: [],
          tasks: [],
          claims: null,
          obsoleteAttempts: [],
          hasNotifications: false,
        };
      },
    },
    recoveryDelay: { holdFor: () => hold, next: () => {} },
    broker: { inspect: async () => ({ messages: unrecorded, consumers: 0 }) },
    clock: { now: () => 0 },
    probes: {
      outFor: () => outFor,
      ask: async () => {
        asked += 1;
        return 50;
      },
      arrived: () => {},
    },
    scanned: () => {},
    recovered: () => {},
    hint: () => {
      hints += 1;
    },
    cancel: () => {},
    log: { warn: () => {} } as Partial<Logger> as Logger,
    failpoint: () => {},
    actor: "supervisor-1",
    rest: 1_000,
  });
  return { sleep: await recover(), applied, hints, asked, outages };
}

test.each<[string, World, number]>([
  ["nothing is under way", {}, 1_000],
  ["the next limit passes soon", { nextIn: 300 }, 300],
  ["the next limit passes in a moment", { nextIn: 3 }, 50],
  ["the next limit is far off", { nextIn: 3_600_000 }, 1_000],
  ["there was less than a batch", { steps: 199, nextIn: 400 }, 400],
  ["there may be more", { steps: 200 }, 0],
])("when %s, the Supervisor sleeps for so long", async (_, world, expected) => {
  expect((await scan(world)).sleep).toBe(expected);
});

test("the Supervisor requests a remedy for each overdue step, and wakes the Schedulers once", async () => {
  const { applied, hints } = await scan({ steps: 3 });
  expect(applied.map(({ event }) => event.kind)).toEqual(["expired", "expired", "expired"]);
  expect(hints).toBe(1);
});

test("the Supervisor undoes a task whose own limit has passed, beside handling overdue steps", async () => {
  const taskId = randomUUID();
  const { applied, hints } = await scan({ steps: 1, taskIds: [taskId] });
  expect(applied.map(({ event }) => event.kind)).toEqual(["expired", "limitPassed"]);
  expect(applied[1]).toEqual({ taskId, event: { kind: "limitPassed" } });
  expect(hints).toBe(1);
});

test.each<[string, World]>([
  ["nothing is overdue", {}],
  ["it could not look for a while", { steps: 3, hold: 5_000 }],
  ["replies may be on their way", { steps: 3, proven: 0 }],
  [
    "replies may be on their way, even if a task's own limit has passed",
    { steps: 1, taskIds: ["t"], proven: 0 },
  ],
  ["a Scheduler holds replies that it cannot record", { steps: 3, unrecorded: 1 }],
  [
    "it could not look for a while, even if a task's own limit has passed",
    { taskIds: ["t"], hold: 5_000 },
  ],
])("when %s, the Supervisor applies no remedy", async (_, world) => {
  const { applied, hints } = await scan(world);
  expect(applied).toEqual([]);
  expect(hints).toBe(0);
});

/**
 * A store in which so many steps are overdue, and the tasks of the first ones are locked for as
 * long as the test lasts.
 */
function lockedStore({ steps, locked }: { readonly steps: number; readonly locked: number }) {
  const overdue = Array.from({ length: steps }, (_, number) => ({
    taskId: `task ${number}`,
    step: "charge",
    attempt: 1,
    token: randomUUID(),
    overdue: 100,
    proven: replyQueues.length,
    excused: false,
  }));
  const isLocked = new Set(overdue.slice(0, locked).map(({ taskId }) => taskId));
  const recovered = new Set<string>();
  const recover = recoverExpiredSteps({
    store: {
      findExpired: async ({ batch, held = [] }) => ({
        steps: overdue
          .filter(({ taskId }) => !recovered.has(taskId) && !held.includes(taskId))
          .slice(0, batch),
        taskIds: [],
        nextIn: null,
      }),
      applyEvents: async (reportedEvents) => {
        const outcomes = reportedEvents.map(({ taskId }) => {
          if (isLocked.has(taskId)) return { applied: false, reason: "unknown_task" } as const;
          recovered.add(taskId);
          return { applied: true, changes: [] } as const;
        });
        return { outcomes, tasks: [], claims: null, obsoleteAttempts: [], hasNotifications: false };
      },
      rememberOutage: async () => {},
    },
    recoveryDelay: { holdFor: () => 0, next: () => {} },
    broker: { inspect: async () => null },
    clock: { now: () => 0 },
    probes: { outFor: () => 0, ask: async () => 50, arrived: () => {} },
    scanned: () => {},
    recovered: () => {},
    hint: () => {},
    cancel: () => {},
    log: { warn: () => {} } as Partial<Logger> as Logger,
    failpoint: () => {},
    actor: "supervisor-1",
    rest: 1_000,
  });
  return { recover, recovered, unlock: () => isLocked.clear() };
}

test("steps whose tasks are locked hide none of those after them, and the Supervisor rests once it has seen all", async () => {
  const { recover, recovered, unlock } = lockedStore({ steps: 1_000, locked: 450 });
  const rests: number[] = [];
  do rests.push(await recover());
  while (rests.at(-1) === 0 && rests.length < 100);
  expect(recovered.size).toBe(550);
  expect(rests).toEqual([0, 0, 0, 0, 0, 1_000]);
  unlock();
  while ((await recover()) === 0);
  expect(recovered.size).toBe(1_000);
});

test("silence that nothing proves is asked about", async () => {
  expect((await scan({ steps: 3, proven: 0 })).asked).toBe(1);
  expect((await scan({ steps: 3 })).asked).toBe(0);
});

test("silence in an outage is excused", async () => {
  const { applied } = await scan({ steps: 1, isExcused: true });
  expect(applied).toEqual([
    expect.objectContaining({ event: expect.objectContaining({ excused: true }) }),
  ]);
});

test("replies that a Scheduler cannot record are remembered as an outage", async () => {
  const { outages } = await scan({ steps: 1, unrecorded: 1 });
  expect(outages).toEqual([{ part: "replies", lasted: 3_000 }]);
});

const most = replyQueues.length - 1;

test.each([
  ["for a moment", { proven: most, outFor: 9_000 }, []],
  ["for longer", { proven: most, outFor: 11_000 }, [true]],
  ["for longer, and nothing comes through", { proven: 0, outFor: 11_000 }, []],
])(
  "where one Scheduler may hold replies %s, what is silent is tried again and not counted, or waited for",
  async (_, world, excused) => {
    const { applied } = await scan({ steps: 1, ...world });
    expect(applied.map(({ event }) => event.kind === "expired" && event.excused)).toEqual(excused);
  },
);
