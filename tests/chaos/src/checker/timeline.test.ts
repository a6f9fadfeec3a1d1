import { expect, test } from "@jest/globals";
import { cleanEvidence, undone } from "./testing.ts";
import { timelineOf } from "./timeline.ts";

test("a timeline of an order lists all observations of it, and the faults meanwhile", () => {
  const lines = timelineOf(cleanEvidence(), undone).map((line) => line.slice(13));
  expect(lines[0]).toBe("FAULT    agent-frozen agent-1");
  expect(lines).toContain("partner  reservations undone");
  expect(lines).toContain(
    "store    charge fail processing -> error #1 payments.declined (scheduler-1)",
  );
  expect(lines.join()).not.toContain("shipments");
});
