import type { OldMonth } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { dropOldMonths } from "./drop-old-months.ts";

interface World {
  readonly keep?: number | null;
  readonly months?: readonly Partial<OldMonth>[];
  /** Finished tasks of each month, and rows of every other kind. */
  readonly rows?: number;
  /** The kind of which there are always more. */
  readonly endless?: string;
  readonly isAborted?: boolean;
}

/** One look at the past; says what was asked of the store, and of which month. */
async function forget({ keep = 1_000, months = [], rows = 0, ...world }: World) {
  const { endless, isAborted = false } = world;
  const asked: string[] = [];
  const left = new Map<string, number>();
  const take = (what: string, batch: number): Promise<number> => {
    asked.push(what);
    if (what === endless) return Promise.resolve(batch);
    const all = left.get(what) ?? rows;
    left.set(what, Math.max(0, all - batch));
    return Promise.resolve(Math.min(all, batch));
  };
  const round = dropOldMonths({
    store: {
      deleteExpiredKeys: ({ batch }) => take("keys", batch),
      deletePassedFairnessKeys: ({ batch }) => take("fairness", batch),
      deleteUnclaimedSignals: ({ batch }) => take("signals", batch),
      deleteOldRecords: ({ batch }) => take("records", batch),
      deleteOldBulkOperations: ({ batch }) => take("bulk operations", batch),
      deleteOldMessages: ({ batch }) => take("messages", batch),
      deleteExcessMessages: async () => [],
      readClock: async () => null,
      deleteFinishedTasks: ({ month, batch }) => take(`tasks of ${month}`, batch),
      dropMonth: async ({ month }) => asked.push(`drop ${month}`) > 0,
      findOldMonths: async () =>
        months.map((old, index) => ({
          month: `m${index}`,
          hasUnfinished: false,
          hasRecent: false,
          ...old,
        })),
    },
    log: { info: () => {}, warn: () => {}, error: () => {} },
    clock: {
      now: () => 0,
      after: (_, act) => {
        queueMicrotask(act);
        return () => {};
      },
    },
    keep,
    keepMessages: 1_000,
  });
  const hasMore = await round(isAborted ? AbortSignal.abort() : new AbortController().signal);
  return { asked, hasMore };
}

test.each<[string, World, readonly string[]]>([
  [
    "nothing is ever to go",
    { keep: null, months: [{}] },
    ["keys", "fairness", "signals", "messages"],
  ],
  [
    "no month is old",
    {},
    ["keys", "fairness", "signals", "messages", "records", "bulk operations"],
  ],
  [
    "a month is over",
    { months: [{}] },
    ["keys", "fairness", "signals", "messages", "drop m0", "records", "bulk operations"],
  ],
  [
    "one has an unfinished task",
    { months: [{ hasUnfinished: true }] },
    ["keys", "fairness", "signals", "messages", "tasks of m0", "records", "bulk operations"],
  ],
  [
    "one has a task that is to be kept for a while",
    { months: [{ hasRecent: true }] },
    ["keys", "fairness", "signals", "messages", "records", "bulk operations"],
  ],
  [
    "one has both",
    { months: [{ hasUnfinished: true, hasRecent: true }] },
    ["keys", "fairness", "signals", "messages", "tasks of m0", "records", "bulk operations"],
  ],
  ["it has to stop", { months: [{}], isAborted: true }, []],
])("when %s, retention deletes only what may be deleted", async (_, world, expected) => {
  expect(await forget(world)).toEqual({ asked: expected, hasMore: false });
});

const thrice = (what: string) => [what, what, what];

test("retention deletes batch after batch, until one is not full", async () => {
  const { asked } = await forget({ months: [{ hasUnfinished: true }, {}], rows: 450 });
  expect(asked).toEqual([
    ...thrice("keys"),
    ...thrice("fairness"),
    ...thrice("signals"),
    ...thrice("messages"),
    ...thrice("tasks of m0"),
    "drop m1",
    ...thrice("records"),
    ...thrice("bulk operations"),
  ]);
});

test.each(["keys", "fairness", "signals", "messages", "tasks of m0", "records", "bulk operations"])(
  "retention reaches every kind of row in each round, though there are always more %s",
  async (endless) => {
    const { asked, hasMore } = await forget({ months: [{ hasUnfinished: true }, {}], endless });
    expect(new Set(asked)).toEqual(
      new Set([
        "keys",
        "fairness",
        "signals",
        "messages",
        "tasks of m0",
        "drop m1",
        "records",
        "bulk operations",
      ]),
    );
    expect(hasMore).toBe(true);
  },
);
