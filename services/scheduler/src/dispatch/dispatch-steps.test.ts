import { randomUUID } from "node:crypto";
import { StepRequest } from "@holdfast/contracts";
import { planWorkflow, type StepDefinition, type WorkflowDefinition } from "@holdfast/domain";
import type { OutgoingMessage, PublishResult } from "@holdfast/messaging";
import type { Logger } from "@holdfast/runtime";
import {
  type ClaimedStep,
  type LoadedValues,
  type ReportedTaskEvent,
  stepContracts,
  type ValueRef,
} from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { batchSizes as openBatchSizes } from "./batch-sizes.ts";
import { dispatchSteps } from "./dispatch-steps.ts";
import { dispatches as openDispatches } from "./dispatches.ts";

const policy = {
  startWithin: 30_000,
  completeWithin: 5_000,
  retry: { failures: 3, backoff: 1_000, max: 60_000 },
  coolDown: null,
  onFailure: "compensate",
} as const;

const step = (name: string, input: StepDefinition["input"]): StepDefinition => ({
  ...policy,
  name,
  agent: "payments",
  operation: "charge",
  input,
  after: [],
  onlyIf: null,
  undo: { ...policy, operation: "refund", onFailure: "halt" },
});

const definition: WorkflowDefinition = {
  format: 1,
  name: "pay.v1",
  inputSchema: {},
  completeWithin: null,
  output: null,
  // Only of what "weigh" is given, and as it was when the workflow was defined.
  inputs: {
    "scales.weigh": { type: "object", properties: { amount: { type: ["number", "string"] } } },
  },
  steps: [
    step("charge", { amount: { $ref: "/input/total" }, card: { $ref: "/steps/card/id" } }),
    { ...step("weigh", { amount: { $ref: "/input/total" } }), agent: "scales", operation: "weigh" },
    step(
      "repeat",
      Array.from({ length: 64 }, () => ({ $ref: "/input/total" })),
    ),
    step("lost", { amount: { $ref: "/input/nowhere/at/all" } }),
  ],
};

const claim = (name = "charge", changes: Partial<ClaimedStep> = {}): ClaimedStep => ({
  taskId: randomUUID(),
  name,
  lane: "payments",
  workflow: "pay.v1",
  attempt: 2,
  token: randomUUID(),
  startBy: 1_030_000,
  completeBy: 1_035_000,
  now: 1_000_000,
  keyGeneration: 0,
  taskInput: null,
  ...changes,
});

const values: LoadedValues = {
  input: { total: 30 },
  outputs: new Map([["card", { id: "card-1" }]]),
  correctedInputs: new Map(),
  problem: null,
};

const silent = () => {};

/** A dispatch whose every dependency is at hand, and what came of it. */
function dispatching(
  answer: (message: OutgoingMessage) => PublishResult = () => "stored",
  batchSizes = openBatchSizes(),
) {
  const published: OutgoingMessage[] = [];
  const asked: ValueRef[] = [];
  const applied: ReportedTaskEvent[] = [];
  const clock = { now: () => 500, after: () => () => {} };
  const dispatches = openDispatches({ clock, onMarkDue: silent });
  const dispatch = dispatchSteps({
    store: {
      findWorkflow: async (name) =>
        name === definition.name
          ? { definition, plan: planWorkflow(definition), contracts: stepContracts(definition) }
          : null,
      loadValues: async (refs) => {
        asked.push(...refs);
        return new Map(refs.map(({ taskId }) => [taskId, values]));
      },
      loadCalls: async () => [],
    },
    apply: async (reportedEvents) => {
      applied.push(...reportedEvents);
      return {
        outcomes: [],
        tasks: [],
        claims: null,
        obsoleteAttempts: [],
        hasNotifications: false,
      };
    },
    broker: {
      publish: async (message) => {
        published.push(message);
        return answer(message);
      },
    },
    dispatches,
    batchSizes,
    replyTo: () => "scheduler.replies.1",
    userId: "scheduler",
    clock,
    log: { warn: silent, error: silent } as Partial<Logger> as Logger,
    failpoint: silent,
    actor: "scheduler-1",
  });
  return { dispatch, dispatches, published, applied, asked };
}

test("a request carries all that its Agent needs, and its limits", async () => {
  const { dispatch, published, applied } = dispatching();
  const claimed = claim();
  await dispatch([claimed], 400);
  const { taskId, token } = claimed;
  expect(published).toMatchObject([
    {
      exchange: "holdfast.requests",
      routingKey: "payments",
      userId: "scheduler",
      type: "step.request.v1",
      messageId: `${taskId}:charge:2`,
      correlationId: taskId,
      replyTo: "scheduler.replies.1",
      // Half a minute to be begun, of which a tenth of a second has passed since the claim.
      expirationMs: 29_900,
    },
  ]);
  expect(StepRequest.decode(published[0]!.body)).toEqual({
    taskId,
    step: "charge",
    agent: "payments",
    operation: "charge",
    attempt: 2,
    token,
    idempotencyKey: `${taskId}:charge:do`,
    workMs: 5_000,
    completeBy: new Date(1_035_000).toISOString(),
    input: { amount: 30, card: "card-1" },
  });
  expect(applied).toEqual([]);
});

test("a claim holds references only: the outputs that an input refers to are loaded at dispatch", async () => {
  const { dispatch, published, asked } = dispatching();
  const claimed = claim("charge");
  expect(JSON.stringify(claimed)).not.toContain("card-1");
  await dispatch([claimed], 500);
  const { taskId } = claimed;
  // The step whose output is referred to, and the step itself, whose input an operator may have corrected.
  expect(asked).toEqual([
    { taskId, name: null },
    { taskId, name: "card" },
    { taskId, name: "charge" },
  ]);
  expect(StepRequest.decode(published[0]!.body).input).toEqual({ amount: 30, card: "card-1" });
});

test("inputs that came with the claim are not loaded again", async () => {
  const { dispatch, published, asked } = dispatching();
  await dispatch(
    [
      claim("weigh", { taskInput: { total: 40 } }),
      claim("weigh"),
      claim("charge", { taskInput: { total: 40 } }),
    ],
    500,
  );
  const inputs = published.map(({ body }) => StepRequest.decode(body).input);
  expect(inputs).toEqual([{ amount: 40 }, { amount: 30 }, { amount: 30, card: "card-1" }]);
  expect(new Set(asked.map(({ taskId }) => taskId))).toEqual(
    new Set(published.slice(1).map(({ correlationId }) => correlationId)),
  );
});

test.each([
  ["a step whose workflow nobody knows", claim("charge", { workflow: "gone.v1" })],
  ["a step that is not in its workflow", claim("renamed")],
  ["a step whose input leads nowhere", claim("lost")],
  [
    "a step whose input breaks the contract of its operation",
    claim("weigh", { taskInput: { total: [] } }),
  ],
  [
    "a step whose input is larger than a payload may be",
    claim("weigh", { taskInput: { total: "x".repeat(300 * 1024) } }),
  ],
  [
    "a step whose input refers to a large value again and again",
    claim("repeat", { taskInput: { total: "x".repeat(200 * 1024) } }),
  ],
])("%s fails for good and without effect, and the others of its batch go out", async (_, odd) => {
  const { dispatch, published, applied } = dispatching();
  const others = [claim(), claim()];
  await dispatch([others[0]!, odd, others[1]!], 500);
  expect(published.map(({ correlationId }) => correlationId)).toEqual(
    others.map(({ taskId }) => taskId),
  );
  expect(applied).toMatchObject([
    { taskId: odd.taskId, event: { kind: "failed", transient: false, effect: "none" } },
  ]);
});

test("an input that breaks the contract of its operation is reported with the place and the reason", async () => {
  const { dispatch, applied } = dispatching();
  await dispatch([claim("weigh", { taskInput: { total: [] } })], 500);
  expect(applied).toMatchObject([
    {
      event: { code: "step.input_invalid" },
      faultDetail: "The input at /amount must be number,string",
    },
  ]);
});

const withInput = (bytes: number) =>
  claim("weigh", { taskInput: { total: "x".repeat(bytes - `{"amount":""}`.length) } });

test("an input that is too large is named with its size, and one of exactly the limit goes out", async () => {
  const { dispatch, published, applied } = dispatching();
  await dispatch([withInput(256 * 1024), withInput(256 * 1024 + 1)], 500);
  expect(published).toHaveLength(1);
  expect(applied).toMatchObject([
    {
      faultDetail: "The input of weigh is 262145 bytes long, of at most 262144",
      event: { code: "step.input_too_large" },
    },
  ]);
});

test("unroutable requests are requeued, and no others", async () => {
  const [lost, sent] = [claim(), claim()];
  const { dispatch, dispatches, applied } = dispatching(({ correlationId }) =>
    correlationId === lost.taskId ? "unroutable" : "stored",
  );
  await dispatch([lost, sent], 500);
  expect(applied).toMatchObject([{ taskId: lost.taskId, event: { kind: "neverStarted" } }]);
  expect([dispatches.isOpen(lost), dispatches.isOpen(sent)]).toEqual([false, true]);
});

test("unconfirmed requests are left to the relay: neither requeued nor marked", async () => {
  const { dispatch, dispatches, applied } = dispatching(() => "unknown");
  const claimed = claim();
  await dispatch([claimed], 500);
  expect(applied).toEqual([]);
  expect(dispatches.isOpen(claimed)).toBe(false);
});

test("requests that can no longer be begun in time are requeued unsent", async () => {
  const { dispatch, published, applied } = dispatching();
  await dispatch([claim("charge", { startBy: 1_000_100 })], 400);
  expect(published).toEqual([]);
  expect(applied).toMatchObject([{ event: { kind: "neverStarted" } }]);
});

test("requests are bundled as the Agent allows, but none with a far more urgent one", async () => {
  const sizes = openBatchSizes();
  sizes.learn("payments", 7);
  const { dispatch, published } = dispatching(() => "stored", sizes);
  const urgent = { startBy: 1_001_000 };
  await dispatch([claim(), claim(), claim("charge", urgent)], 500);
  const [a, b, c] = published.map(({ bundle }) => bundle);
  expect(a).toEqual(b);
  expect(c?.key).not.toBe(a?.key);
  expect([a?.most, c?.most]).toEqual([7, 7]);
});

test("requests to an Agent without heartbeats are not bundled", async () => {
  const { dispatch, published } = dispatching();
  await dispatch([claim(), claim()], 500);
  expect(published.map(({ bundle }) => bundle?.most)).toEqual([1, 1]);
});
