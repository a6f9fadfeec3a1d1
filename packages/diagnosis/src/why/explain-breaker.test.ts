import { expect, test } from "@jest/globals";
import { breaker, facts, lane, noon } from "../../test/task-facts.ts";
import { explain } from "./explain.ts";
import type { Facts } from "./facts.ts";

test.each<readonly [string, Partial<Facts>]>([
  [
    "The remote service psp fails. Its breaker is open since 2026-01-01T11:59:57.000Z (3 s ago): 10 attempts in a row failed, the last with psp.down. It holds back 12 due steps. From 2026-01-01T12:00:02.000Z (in 2 s) on one step is tried. Repair it: the steps follow as soon as one is answered. To release them before: POST /v1/remotes/psp/release.",
    { lanes: [{ ...lane, breaker }] },
  ],
  [
    "is half-open since 2026-01-01T11:59:57.000Z (3 s ago): 10 attempts in a row failed, the last with psp.down. It holds back 12 due steps. One step is tried now, of task 17.",
    { lanes: [{ ...lane, breaker: { ...breaker, state: "half-open", probe: "17" } }] },
  ],
  [
    "ann has held the remote service psp since 2026-01-01T11:59:57.000Z (3 s ago): maintenance. It holds back 12 due steps, until an operator releases it. To release it: POST /v1/remotes/psp/release.",
    {
      lanes: [{ ...lane, breaker: { ...breaker, held: true, by: "ann", reason: "maintenance" } }],
    },
  ],
  [
    "The remote service psp asked to be left alone until 2026-01-01T12:00:09.000Z (in 9 s).",
    {
      lanes: [{ ...lane, breaker: { ...breaker, state: "closed", throttledUntil: noon + 9_000 } }],
    },
  ],
])("explains of a step whose remote service is in trouble: %s", (text, task) => {
  expect(explain({ ...facts, ...task }).sentence).toContain(text);
});
