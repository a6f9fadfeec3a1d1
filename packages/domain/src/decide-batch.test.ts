import { describe, expect, test } from "@jest/globals";
import type { ReportedTaskEvent, VersionedTask } from "./batch.ts";
import { type BatchOptions, decideBatch } from "./decide-batch.ts";
import { ContractFault } from "./faults.ts";
import { bandOf } from "./priority.ts";
import type { ProcessingStep } from "./step.ts";
import { submit } from "./submit.ts";
import type { Task } from "./task.ts";
import type { CallDefinition } from "./workflow-definition.ts";
import { planWorkflow } from "./workflow-plan.ts";

const noon = Date.UTC(2026, 0, 1, 12);
const options: BatchOptions = {
  now: noon,
  random: () => 0,
  events: true,
  valuesOf: () => null,
  outputFaults: new Map(),
};

const step = (name: string, changes: Partial<CallDefinition> = {}): CallDefinition => ({
  name,
  agent: `agent-${name}`,
  operation: name,
  input: null,
  after: [],
  onlyIf: null,
  undo: null,
  startWithin: 1_000,
  completeWithin: 5_000,
  retry: { failures: 1, backoff: 1_000, max: 1_000 },
  coolDown: null,
  onFailure: "undo",
  ...changes,
});

const plan = planWorkflow({
  format: 1,
  name: "test.v1",
  inputSchema: {},
  steps: [step("a"), step("b", { after: ["a"] }), step("side")],
  completeWithin: null,
  output: null,
});

/** A task with an attempt in flight at each of these steps. */
function taskInFlight(taskId: string, ...names: readonly string[]): VersionedTask {
  const { task } = submit(taskId, plan, { now: noon, random: () => 0, valueOf: null });
  const steps = new Map(task.steps);
  for (const name of names) {
    const claimed = {
      ...task.steps.get(name),
      processState: "processing",
      attempt: 1,
      token: `token-${name}`,
      lockedBy: "scheduler",
      startBy: noon,
      completeBy: noon + 5_000,
      confirmed: true,
      resent: false,
    } as ProcessingStep;
    steps.set(name, claimed);
  }
  const inFlight: Task = { ...task, processState: "processing", steps };
  const urgency = { priority: "urgent", fairnessKey: null } as const;
  return { task: inFlight, version: 3, ...urgency, replyTo: "answers", correlationId: "corr" };
}

const completed = (taskId: string, name: string): ReportedTaskEvent => ({
  taskId,
  event: { kind: "completed", step: name, attempt: 1, token: `token-${name}` },
  output: "done",
});

describe("a batch", () => {
  test("decides each task by itself and returns one outcome for each event in their order", () => {
    const tasks = [taskInFlight("1", "a"), taskInFlight("2", "a")];
    const events = [completed("2", "a"), completed("1", "a"), completed("2", "a")];
    const { outcomes, changed, applied } = decideBatch(tasks, events, options);
    expect(outcomes.map((outcome) => outcome.applied)).toEqual([true, true, false]);
    expect(outcomes[2]).toMatchObject({ reason: "not_processing" });
    expect(changed.map(({ after }) => after.taskId)).toEqual(["1", "2"]);
    expect(applied).toEqual([events[1], events[0]]);
  });

  test("rejects events of tasks that were not loaded, or that cannot be used", () => {
    const events = [completed("1", "a"), completed("2", "a")];
    const { outcomes, changed } = decideBatch([], events, { ...options, unusable: new Set(["2"]) });
    expect(outcomes).toEqual([
      { applied: false, reason: "unknown_task" },
      { applied: false, reason: "unusable_task" },
    ]);
    expect(changed).toEqual([]);
  });

  test("rejects an event whose sender has seen another version of the task", () => {
    const seen = { taskId: "1", event: { kind: "paused" }, expectedVersion: 2 } as const;
    const { outcomes, decided, changed } = decideBatch([taskInFlight("1")], [seen], options);
    expect(outcomes).toEqual([{ applied: false, reason: "version_changed" }]);
    expect(decided).toHaveLength(1);
    expect(changed).toEqual([]);
  });

  test("halts a task whose output breaks its contract, and says where it is wrong in its alert", () => {
    const fault = new ContractFault("step.output_invalid", "The output at / must be object");
    const reported = completed("1", "a");
    const { outcomes, applied, notifications } = decideBatch([taskInFlight("1", "a")], [reported], {
      ...options,
      outputFaults: new Map([[reported, fault]]),
    });
    expect(notifications.find(({ channel }) => channel === "alert")?.body).toMatchObject({
      kind: "task.halted",
      code: "step.output_invalid",
      detail: fault.message,
    });
    expect(outcomes).toMatchObject([{ applied: true, outputFault: fault }]);
    expect(applied).toMatchObject([
      { event: { kind: "failed", code: fault.code }, faultDetail: fault.message },
    ]);
    expect(applied[0]).not.toHaveProperty("output");
  });

  test("lists the steps that it makes due, in the band of their task's priority", () => {
    const { dueSteps } = decideBatch([taskInFlight("1", "a")], [completed("1", "a")], options);
    const due = { taskId: "1", name: "b", lane: "agent-b", band: bandOf("urgent") };
    expect(dueSteps).toEqual([{ ...due, rank: noon }]);
  });

  test("leaves the rank of a step with a fairness key to the store", () => {
    const task = { ...taskInFlight("1", "a"), fairnessKey: "ann" };
    const { dueSteps } = decideBatch([task], [completed("1", "a")], options);
    expect(dueSteps).toMatchObject([{ lane: "agent-b", rank: null }]);
  });

  test("lists the attempts in flight of a task that turns to its undo", () => {
    const event = { taskId: "1", event: { kind: "undoRequested", code: "asked" } } as const;
    const before = taskInFlight("1", "a", "side");
    const { obsoleteAttempts, changed } = decideBatch([before], [event], options);
    expect(obsoleteAttempts).toEqual([
      { taskId: "1", step: "a", attempt: 1, token: "token-a" },
      { taskId: "1", step: "side", attempt: 1, token: "token-side" },
    ]);
    expect(changed[0]?.acts).toEqual([{ action: "undo", reason: "asked" }]);
  });

  test("notifies the submitter of progress, and everyone of the state of the task", () => {
    const progress = decideBatch([taskInFlight("1", "a")], [completed("1", "a")], options);
    expect(progress.notifications).toMatchObject([
      { channel: "status", address: "answers", seq: 4, body: { event: "progress" } },
    ]);
    const undo = { taskId: "1", event: { kind: "undoRequested", code: "asked" } } as const;
    const turned = decideBatch([taskInFlight("1", "a")], [undo], options);
    expect(turned.notifications.map(({ channel }) => channel)).toEqual(["status", "event"]);
    const silent = decideBatch([{ ...taskInFlight("1", "a"), replyTo: null }], [undo], {
      ...options,
      events: false,
    });
    expect(silent.notifications).toEqual([]);
  });

  test("alerts an operator when a task halts", () => {
    const parked = {
      kind: "parked",
      code: "why",
      step: "a",
      attempt: 1,
      token: "token-a",
    } as const;
    const { notifications } = decideBatch(
      [{ ...taskInFlight("1", "a"), replyTo: null }],
      [{ taskId: "1", event: parked }],
      { ...options, events: false },
    );
    expect(notifications).toMatchObject([
      { channel: "alert", body: { kind: "task.halted", step: "a", code: "why", episode: 4 } },
    ]);
  });
});

describe("a request that an instance gave back", () => {
  const reported: ReportedTaskEvent = {
    taskId: "1",
    faultDetail: "/reference: Required",
    event: {
      kind: "failed",
      step: "a",
      attempt: 1,
      token: "token-a",
      code: "step.contract_broken",
      transient: false,
      attempted: true,
      effect: "unknown",
      retryAfter: null,
    },
  };
  const decideIt = (where: "here" | "everywhere") =>
    decideBatch([taskInFlight("1", "a")], [reported], {
      ...options,
      unreadable: new Map([[reported, { where, detail: "bank-1 has b" }]]),
    });

  test("is no failure and no attempt, whatever the Agent called it", () => {
    const { changed, applied, notifications } = decideIt("here");
    expect(changed[0]?.after.steps.get("a")).toMatchObject({
      processState: "pending",
      failureCount: 0,
      faultCode: "step.request_unreadable",
    });
    expect(applied).toMatchObject([{ faultDetail: "bank-1 has b" }]);
    expect(changed[0]).not.toHaveProperty("haltDetails");
    expect(notifications.some(({ channel }) => channel === "alert")).toBe(false);
  });

  test("says in the alert who has which contract, if its task halts", () => {
    expect(decideIt("everywhere").changed[0]).toMatchObject({
      haltDetails: new Map([["a", "bank-1 has b"]]),
    });
  });
});
