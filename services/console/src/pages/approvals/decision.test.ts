import { expect, test } from "@jest/globals";
import { decisionCall, decisionLines, showLine } from "./decision.ts";

const place = { taskId: "01a1", step: "release/now" };

test("an approval is sent with what was filled in, and a reason only where there is one", () => {
  const form = { costCentre: "C-17" };
  const said = { decision: "approve", reason: "", form } as const;
  expect(decisionCall(place, said)).toMatchObject({
    method: "POST",
    path: "/v1/tasks/01a1/steps/release%2Fnow/decision",
    body: { decision: "approve", form },
  });
  expect(decisionCall(place, said).body).not.toHaveProperty("reason");
  expect(decisionLines(place, said, "http://localhost:3001")).toEqual({
    holdfast: `holdfast approvals decide 01a1 release/now --approve --form '{"costCentre":"C-17"}'`,
    curl: `curl -X POST http://localhost:3001/v1/tasks/01a1/steps/release%2Fnow/decision -H "authorization: Bearer $HOLDFAST_TOKEN" -H 'content-type: application/json' -d '{"decision":"approve","form":{"costCentre":"C-17"}}'`,
  });
});

test("a rejection is sent with its reason, and without what was filled in", () => {
  const said = { decision: "reject", reason: "it's new", form: { costCentre: "C-17" } } as const;
  expect(decisionCall(place, said).body).toEqual({ decision: "reject", reason: "it's new" });
  expect(decisionLines(place, said, "http://localhost:3001").holdfast).toBe(
    String.raw`holdfast approvals decide 01a1 release/now --reject --reason 'it'\''s new'`,
  );
});

test.each([
  [{ amount: 240, customer: "C-7", note: null }, "amount: 240 · customer: C-7 · note: null"],
  [{ order: { amount: 240 } }, '{ "order": { "amount": 240 } }'],
  ["a text", '"a text"'],
  [{}, ""],
])("what is shown is said in a line: %j", (show, line) => {
  expect(showLine(show)).toBe(line);
});
