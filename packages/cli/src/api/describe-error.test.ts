import { ProblemError } from "@holdfast/client";
import { expect, test } from "@jest/globals";
import { errorObject, errorText } from "./describe-error.ts";

const problem = (status: number) =>
  new ProblemError({ type: "", title: "", status, code: "a.b", detail: "No.", requestId: "r-1" });

test("a failure of the service names its request for people, a refusal for programs alone", async () => {
  expect(await errorText(problem(500))).toBe("No.\n  request r-1 in the log of the service");
  expect(await errorText(problem(422))).toBe("No.");
  for (const status of [422, 500]) {
    expect(await errorObject(problem(status))).toMatchObject({
      error: { requestId: "r-1", status },
    });
  }
});
