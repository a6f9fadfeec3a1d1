import { randomUUID } from "node:crypto";
import { type CallDefinition, planWorkflow, type WorkflowDefinition } from "@holdfast/domain";
import type { OutgoingMessage, PublishResult } from "@holdfast/messaging";
import type { Clock, Logger } from "@holdfast/runtime";
import {
  type AppliedEvents,
  type ClaimedStep,
  type LoadedValues,
  type ReportedTaskEvent,
  stepContracts,
  type ValueRef,
} from "@holdfast/state-store";
import { dispatchSteps } from "../src/dispatch/dispatch-steps.ts";
import type { UnfitContracts } from "../src/dispatch/unfit-contracts.ts";
import { heldRequests } from "../src/state/requests.ts";
import { openState } from "./state.ts";

const policy = {
  startWithin: 30_000,
  completeWithin: 5_000,
  retry: { failures: 3, backoff: 1_000, max: 60_000 },
  coolDown: null,
  onFailure: "undo",
} as const;

const step = (name: string, input: CallDefinition["input"]): CallDefinition => ({
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
    "mail.send": {
      type: "object",
      properties: { text: { type: "string" }, by: { type: "string" } },
      required: ["text"],
    },
  },
  steps: [
    step("charge", { amount: { $ref: "/input/total" }, card: { $ref: "/steps/card/id" } }),
    { ...step("weigh", { amount: { $ref: "/input/total" } }), agent: "scales", operation: "weigh" },
    step(
      "repeat",
      Array.from({ length: 64 }, () => ({ $ref: "/input/total" })),
    ),
    step("lost", { amount: { $ref: "/steps/gone/amount" } }),
    {
      ...step("note", { text: { $ref: "/input/note/text" }, by: { $ref: "/input/by" } }),
      agent: "mail",
      operation: "send",
    },
  ],
};

/** A step for tests that was just claimed. */
export const claim = (name = "charge", changes: Partial<ClaimedStep> = {}): ClaimedStep => ({
  taskId: randomUUID(),
  name,
  lane: "payments",
  agent: "payments",
  workflow: "pay.v1",
  attempt: 2,
  token: randomUUID(),
  startBy: 1_030_000,
  completeBy: 1_035_000,
  now: 1_000_000,
  keyGeneration: 0,
  priority: "normal",
  taskInput: null,
  ...changes,
});

export const values: LoadedValues = {
  input: { total: 30 },
  outputs: new Map([["card", { id: "card-1" }]]),
  correctedInputs: new Map(),
  problem: null,
  leftOut: null,
};

const silent = () => {};

/**
 * What the store has for the task at that place among those that are asked for, with room for so
 * many bytes.
 */
export type Load = (index: number, most: number) => Promise<LoadedValues>;

/** A log of which a test sees the warnings. */
const logTo = (warnings: string[]): Logger => {
  const warn = (_: object, message: string) => void warnings.push(message);
  return { warn, error: silent } as unknown as Logger;
};

/** It stands still, but for turns of the event loop. */
const clock: Pick<Clock, "now" | "after"> = {
  now: () => 500,
  after(_, call) {
    const turn = setImmediate(call);
    return () => clearImmediate(turn);
  },
};

type Unfit = { readonly [operation: string]: readonly string[] };

/** Contracts that are unfit, by operation. */
const naming = (unfit: Unfit): UnfitContracts => ({
  of: ({ operation }) => unfit[operation],
  learn: async () => {},
});

const nothingApplied: AppliedEvents = {
  outcomes: [],
  tasks: [],
  claims: null,
  obsoleteAttempts: [],
  hasNotifications: false,
};

/** A dispatch with all of its dependencies, and what it published, applied and loaded. */
export function dispatching(
  answer: (message: OutgoingMessage) => PublishResult | Promise<PublishResult> = () => "stored",
  bundleSizes: Readonly<Record<string, number>> = {},
  load: Load = async () => values,
  unfit: Unfit = {},
) {
  const published: OutgoingMessage[] = [];
  const asked: ValueRef[] = [];
  const applied: ReportedTaskEvent[] = [];
  const warnings: string[] = [];
  const { state, see } = openState({ clock, wake: silent });
  for (const one of Object.entries(bundleSizes)) state.requests.bundleSizes.set(...one);
  const held = (): readonly ClaimedStep[] => heldRequests(state.requests);
  const heldAt: Record<string, readonly ClaimedStep[]> = {};
  const noteHeld = (when: "load" | "publish" | "apply"): void => {
    heldAt[when] = [...new Set(held())];
  };
  const dispatch = dispatchSteps({
    unfit: naming(unfit),
    store: {
      findWorkflow: async (name) =>
        name === definition.name
          ? { definition, plan: planWorkflow(definition), contracts: stepContracts(definition) }
          : null,
      loadValues: async ({ refs, most }) => {
        noteHeld("load");
        asked.push(...refs);
        const taskIds = [...new Set(refs.map(({ taskId }) => taskId))];
        const loaded = taskIds.map(async (id, index) => [id, await load(index, most)] as const);
        return new Map(await Promise.all(loaded));
      },
      loadCalls: async () => [],
    },
    apply: async (reportedEvents) => {
      noteHeld("apply");
      applied.push(...reportedEvents);
      return nothingApplied;
    },
    broker: {
      publish: async (message) => {
        noteHeld("publish");
        published.push(message);
        return answer(message);
      },
    },
    state,
    see,
    replyTo: () => "scheduler.replies.1",
    userId: "scheduler",
    clock,
    log: logTo(warnings),
    failpoint: silent,
    actor: "scheduler-1",
  });
  return { dispatch, held, heldAt, published, applied, asked, warnings };
}
