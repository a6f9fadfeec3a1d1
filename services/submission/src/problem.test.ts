import { limits } from "@holdfast/contracts";
import { problemBody } from "@holdfast/runtime/http";
import { expect, test } from "@jest/globals";
import { Problem } from "./problem.ts";

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
