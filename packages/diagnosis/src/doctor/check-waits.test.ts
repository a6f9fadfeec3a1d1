import type { LateWaits } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { checkWaits } from "./check-waits.ts";

const now = Date.UTC(2026, 0, 1, 12);
const waits: LateWaits = {
  kind: "late",
  waits: 3,
  taskId: "t-1",
  step: "rest",
  deadline: new Date(now - 120_000),
  dueAt: new Date(now - 120_000),
};
test("waits that should have ended are counted, and the first is named with what may keep it", () => {
  const [found, ...more] = checkWaits([waits], now);
  expect(found).toMatchObject({
    code: "waits.late",
    state: "wrong",
    text: "3 waits should have ended a minute ago or more, first step rest of t-1, whose wait was over 2 min ago",
    advice: expect.stringContaining("look whether a Scheduler runs"),
  });
  expect(more).toEqual([]);
});

test("waits that are held because the clock jumped are another finding, with when they end", () => {
  const held = { ...waits, kind: "held" as const, waits: 1, dueAt: new Date(now + 600_000) };
  expect(checkWaits([waits, held], now).map(({ code, text }) => [code, text])).toEqual([
    ["waits.late", expect.stringContaining("3 waits should have ended")],
    [
      "waits.held",
      "the clock of Postgres jumped ahead, so 1 wait that became due by it is held for another 10 min at most, first step rest of t-1, whose wait was over 2 min ago",
    ],
  ]);
});

test("no late wait is fine", () => {
  expect(checkWaits([], now)).toEqual([
    { code: "waits.late", state: "fine", text: "no wait of a step is late", advice: null },
  ]);
});
