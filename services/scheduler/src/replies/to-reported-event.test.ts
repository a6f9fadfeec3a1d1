import type { StepReply } from "@holdfast/contracts";
import { expect, test } from "@jest/globals";
import { toReportedEvent } from "./record-replies.ts";

const failed = (code: string): StepReply => ({
  taskId: "00000000-0000-4000-8000-000000000001",
  step: "charge",
  attempt: 1,
  token: "00000000-0000-4000-8000-000000000002",
  outcome: { kind: "failed", code, message: "no", transient: false },
});

test.each([
  ["payments.declined", "payments.declined"],
  ["step.contract_broken", "step.contract_broken"],
  ["agent.circuit_open", "agent.circuit_open"],
  ["operator.cancel", "agent.said.operator.cancel"],
  ["task.expired", "agent.said.task.expired"],
  ["store.refused", "agent.said.store.refused"],
  ["scheduler.undecidable", "agent.said.scheduler.undecidable"],
  ["undo.nothing_to_undo", "agent.said.undo.nothing_to_undo"],
  ["step.expired", "agent.said.step.expired"],
  [`task.${"x".repeat(195)}`, `agent.said.task.${"x".repeat(184)}`],
])("a reply of %s is recorded as %s", (said, code) => {
  expect(toReportedEvent(failed(said), "payments", null).event).toMatchObject({ code });
});

test.each([
  ["says when to come back", { retryAfterMs: 0 }, true],
  ["does not say when to come back", {}, undefined],
  ["was not called", { retryAfterMs: 5, attempted: false }, undefined],
])("a remote service that %s paces its callers, or does not", (_, more, paces) => {
  const reply = failed("payments.busy");
  const outcome = { ...reply.outcome, transient: true, ...more } as StepReply["outcome"];
  const { event } = toReportedEvent({ ...reply, outcome }, "payments", null);
  expect(event.kind === "failed" && event.paces).toBe(paces);
});

test("an instance whose own circuit has opened does not pace those of others", () => {
  const reply = failed("agent.circuit_open");
  const outcome = {
    ...reply.outcome,
    transient: true,
    retryAfterMs: 5_000,
  } as StepReply["outcome"];
  expect(toReportedEvent({ ...reply, outcome }, "payments", null).event).not.toHaveProperty(
    "paces",
  );
});
