import { randomUUID } from "node:crypto";
import type { Logger } from "@holdfast/runtime";
import type { Expired, ReportedTaskEvent } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { recoverExpiredSteps } from "./recover-expired-steps.ts";

interface World {
  readonly steps?: number;
  /** Tasks whose own limit has passed. */
  readonly taskIds?: readonly string[];
  readonly nextIn?: number | null;
  readonly isQuiet?: boolean;
  readonly hold?: number;
}

/** One scan of a store in which so many steps are overdue. */
async function scan({ steps = 0, taskIds = [], nextIn = null, isQuiet = true, hold = 0 }: World) {
  const applied: ReportedTaskEvent[] = [];
  let hints = 0;
  const expired: Expired = {
    steps: Array.from({ length: steps }, () => ({
      taskId: randomUUID(),
      step: "charge",
      attempt: 1,
      token: randomUUID(),
      overdue: 100,
      lasted: 5_000,
    })),
    taskIds,
    nextIn,
  };
  const recover = recoverExpiredSteps({
    store: {
      findExpired: async () => expired,
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
    grace: { holdFor: () => hold, next: () => {} },
    outages: { look: () => {}, canTrustSilence: async () => isQuiet, overlapsOutage: () => false },
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
  return { sleep: await recover(), applied, hints };
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
  ["replies have yet to be heard", { steps: 3, isQuiet: false }],
  [
    "it could not look for a while, even if a task's own limit has passed",
    { taskIds: ["t"], hold: 5_000 },
  ],
])("when %s, the Supervisor applies no remedy", async (_, world) => {
  const { applied, hints } = await scan(world);
  expect(applied).toEqual([]);
  expect(hints).toBe(0);
});

/** A store in which so many steps are overdue, and the tasks of the first ones are locked for as long as the test lasts. */
function lockedStore({ steps, locked }: { readonly steps: number; readonly locked: number }) {
  const overdue = Array.from({ length: steps }, (_, number) => ({
    taskId: `task ${number}`,
    step: "charge",
    attempt: 1,
    token: randomUUID(),
    overdue: 100,
    lasted: 5_000,
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
    },
    grace: { holdFor: () => 0, next: () => {} },
    outages: { look: () => {}, canTrustSilence: async () => true, overlapsOutage: () => false },
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
