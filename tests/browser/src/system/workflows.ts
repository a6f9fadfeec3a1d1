import type { StepPolicy, WorkflowDefinition } from "@holdfast/domain";
import { fulfilOrder } from "@holdfast/orders";
import { withLimits } from "@holdfast/processes";

const within = { startWithin: 20_000, completeWithin: 20_000 };

const withPolicy = (
  workflow: WorkflowDefinition,
  policy: Partial<Pick<StepPolicy, "onFailure" | "coolDown">>,
): WorkflowDefinition => ({
  ...workflow,
  steps: workflow.steps.map((step) => ({ ...step, ...policy })),
});

/** An order whose failed step waits for an hour until its next attempt. */
export const patient = withLimits(fulfilOrder.definition, {
  name: "patient-order.v1",
  limits: { ...within, retry: { failures: 5, backoff: 3_600_000, max: 3_600_000 } },
});

/** An order that halts at its first failure, and waits for a person. */
export const halting = withPolicy(
  withLimits(fulfilOrder.definition, {
    name: "halting-order.v1",
    limits: { ...within, retry: { failures: 1, backoff: 100, max: 100 } },
  }),
  { onFailure: "halt", coolDown: null },
);

/** An order with three attempts for each step, soon after one another; then it is undone. */
export const quick = withLimits(fulfilOrder.definition, {
  name: "quick-order.v1",
  limits: { ...within, retry: { failures: 3, backoff: 400, max: 1_200 } },
});

/** An order that waits for two weeks before it is shipped. */
export const cooling: WorkflowDefinition = {
  ...quick,
  format: 2,
  name: "cooling-order.v1",
  steps: quick.steps.flatMap((step): WorkflowDefinition["steps"] =>
    step.name === "ship"
      ? [
          {
            kind: "wait",
            name: "cool-off",
            after: step.after,
            onlyIf: null,
            onFailure: "undo",
            for: 14 * 86_400_000,
          },
          { ...step, after: ["cool-off"] },
        ]
      : [step],
  ),
};

/** An order that is shipped once a signal says that it is paid. */
export const prepaid: WorkflowDefinition = {
  ...quick,
  format: 3,
  name: "prepaid-order.v1",
  signals: {
    paid: {
      type: "object",
      properties: { paymentId: { type: "string" } },
      required: ["paymentId"],
    },
  },
  steps: quick.steps.flatMap((step): WorkflowDefinition["steps"] =>
    step.name === "ship"
      ? [
          {
            kind: "signal",
            name: "payment",
            signal: "paid",
            within: 3 * 86_400_000,
            onDeadline: "fail",
            late: "alert",
            after: step.after,
            onlyIf: null,
            onFailure: "undo",
          },
          { ...step, after: ["payment"] },
        ]
      : [step],
  ),
};

/** An order that is shipped once two of the treasury have released it. */
export const released: WorkflowDefinition = {
  ...quick,
  format: 4,
  name: "released-order.v1",
  forms: {
    release: {
      type: "object",
      properties: {
        costCentre: { type: "string", title: "Cost centre", pattern: "^C-[0-9]+$" },
        channel: { type: "string", title: "Channel", enum: ["bank", "card"] },
        isUrgent: { type: "boolean", title: "Urgent" },
      },
      required: ["costCentre"],
      additionalProperties: false,
    },
  },
  steps: quick.steps.flatMap((step): WorkflowDefinition["steps"] =>
    step.name === "ship"
      ? [
          {
            kind: "approval",
            name: "release",
            audience: "treasury",
            quorum: 2,
            excludesSubmitter: true,
            excludes: [],
            within: 3 * 86_400_000,
            remindAfter: null,
            onDeadline: "reject",
            show: {
              customer: { $ref: "/input/customer/name" },
              total: { $ref: "/input/total" },
            },
            after: step.after,
            onlyIf: null,
            onFailure: "undo",
          },
          { ...step, after: ["release"] },
        ]
      : [step],
  ),
};
