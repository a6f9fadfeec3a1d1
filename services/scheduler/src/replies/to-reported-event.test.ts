import type { StepReply } from "@holdfast/contracts";
import { expect, test } from "@jest/globals";
import { toReportedEvent } from "./to-reported-event.ts";

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
