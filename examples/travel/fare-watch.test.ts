import assert from "node:assert/strict";
import test from "node:test";
import { scheduleTimes } from "@holdfast/testing";
import { fareWatchDaily } from "./workflows/fare-watch.ts";

test("a fare is watched each morning, also on the days on which clocks are set", () => {
  const times = scheduleTimes(fareWatchDaily, { from: "2026-10-24T00:00:00Z", count: 3 });
  assert.deepEqual(
    times.map(({ local }) => local),
    ["2026-10-24T06:30:00+02:00", "2026-10-25T06:30:00+01:00", "2026-10-26T06:30:00+01:00"],
  );
});

test("each letter is about the day on which it is sent", () => {
  const [time] = scheduleTimes(fareWatchDaily, { from: "2026-11-29T23:30:00Z", count: 1 });
  assert.deepEqual(time?.input, {
    email: "office@example.com",
    city: "Lyon",
    day: "2026-11-30",
  });
});
