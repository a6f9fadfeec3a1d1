import { expect, test } from "@jest/globals";
import { breakerOf } from "./agent-rows.ts";

const instance = (breaker: "closed" | "open" | "half-open", living = true) => ({
  name: "a",
  slots: 1,
  inFlight: 0,
  breaker,
  openUntil: null,
  lastSeen: "2026-11-25T10:00:00Z",
  living,
});

test("an Agent shows the worst breaker of its living instances", () => {
  expect(breakerOf({ instances: [instance("closed"), instance("open")] })).toBe("open");
  expect(breakerOf({ instances: [instance("half-open"), instance("closed")] })).toBe("half-open");
  expect(breakerOf({ instances: [instance("open", false), instance("closed")] })).toBe("closed");
  expect(breakerOf({ instances: [] })).toBe("closed");
});
