import { limits } from "@holdfast/contracts";
import { TransientFault } from "@holdfast/domain";
import { problemBody } from "@holdfast/runtime/http";
import { expect, test } from "@jest/globals";
import { Problem, storeOutage, toProblem } from "./problem.ts";

test("a problem names no more places than an answer may, and none at any length", () => {
  const errors = Array.from({ length: 30_000 }, (_, index) => ({
    pointer: `/${"x".repeat(100_000)}/${index}`,
    detail: "y".repeat(100_000),
  }));
  const problem = new Problem(422, "request.invalid", "Wrong.", errors);
  expect(problem.errors).toHaveLength(limits.refusals);
  expect(problemBody(problem, "id").length).toBeLessThan(
    2 * limits.refusals * limits.words + 10_000,
  );
});

test.each([
  ["25006", "takes no writes: it is a standby, or set to read only"],
  ["53100", "takes no writes: its disk is full"],
  ["53300", "has no memory or no connection left"],
  ["28P01", "does not let this service log in"],
  ["3D000", "does not let this service log in"],
  ["57014", "did not do this in time"],
  ["57P01", "does not answer"],
  ["none", "does not answer"],
])(
  "an answer says what the store does while it refuses with %s, and since when",
  (sqlstate, words) => {
    const fault = new TransientFault("store.unavailable", "its own words", {
      details: { sqlstate },
    });
    const { status, code, message } = toProblem(fault, Date.UTC(2026, 10, 29, 2));
    expect({ status, code }).toEqual({ status: 503, code: "store.unavailable" });
    expect(message).toBe(
      `The state store ${words} (since 2026-11-29T02:00:00.000Z). Send the same request again, with the same Idempotency-Key.`,
    );
  },
);

test("an answer to a transaction that others hold up, or whose outcome is unknown, says so", () => {
  const held = new TransientFault("store.contention", "x", { details: { sqlstate: "55P03" } });
  expect(toProblem(held).message).toMatch(/^The state store has other requests that hold what/);
  const unknown = new TransientFault("store.outcome_unknown", "x");
  expect(toProblem(unknown).message).toMatch(/^The state store was lost before it said whether/);
});

test("an answer does not blame the store for another server", () => {
  const { status, message } = toProblem(new TransientFault("broker.unreachable", "x"));
  expect([status, message]).toEqual([503, expect.stringMatching(/^A server that this needs/)]);
});

test("an outage of writes lasts while reads are answered, and ends with the first write that is", () => {
  let now = 1;
  const outage = storeOutage(() => now);
  expect(outage.refused("POST")).toBe(1);
  now = 2;
  outage.answered("GET");
  expect([outage.refused("PUT"), outage.refused("GET")]).toEqual([1, 2]);
  outage.answered("POST");
  now = 3;
  expect([outage.refused("DELETE"), outage.refused("GET")]).toEqual([3, 2]);
});
