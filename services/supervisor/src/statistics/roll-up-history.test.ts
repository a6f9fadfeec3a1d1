import type { RolledUp } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { rollUpHistory } from "./roll-up-history.ts";

function counting(...rounds: readonly RolledUp[]) {
  const logged: unknown[] = [];
  const left = [...rounds];
  let asked = 0;
  const round = rollUpHistory({
    store: {
      findStatisticsProgress: async () => ({
        countedAt: null,
        behind: left[0]?.behind ?? 0,
        isDue: left.length > 0,
      }),
      rollUp: async () => {
        asked += 1;
        return left.shift()!;
      },
    },
    log: { info: (...what: unknown[]) => void logged.push(what) } as never,
  });
  return { round, logged, asked: () => asked };
}

test("a Supervisor that is behind counts batch after batch, and rests when it has caught up", async () => {
  const { round } = counting(
    { outcome: "counted", events: 10_000, behind: 5_000 },
    { outcome: "counted", events: 5_000, behind: 0 },
  );
  expect([await round(), await round(), await round()]).toEqual([50, 5_000, 5_000]);
});

test("a Supervisor begins no transaction where nothing was added", async () => {
  const { round, asked } = counting();
  expect(await round()).toBe(5_000);
  expect(asked()).toBe(0);
});

test("a Supervisor leaves it to another one that counts already", async () => {
  const { round } = counting({ outcome: "another Supervisor counts", events: 0, behind: 0 });
  expect(await round()).toBe(5_000);
});

test("a Supervisor logs once that it has fallen behind, and once that it has caught up", async () => {
  const counted = { outcome: "counted", events: 10_000 } as const;
  const { round, logged } = counting(
    ...[200_000, 150_000, 50_000, 0].map((behind) => ({ ...counted, behind })),
  );
  for (let rounds = 0; rounds < 5; rounds += 1) await round();
  expect(logged).toEqual([
    [{ behind: 200_000 }, "statistics are behind"],
    [{ behind: 0 }, "statistics have caught up"],
  ]);
});
