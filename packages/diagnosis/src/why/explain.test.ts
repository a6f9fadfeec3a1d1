import type { StepFacts, TaskFacts } from "@holdfast/state-store";
import { describe, expect, test } from "@jest/globals";
import { broker, charge, facts, lane, noon, pause } from "../../test/task-facts.ts";
import { unseenBroker } from "../causes/system-facts.ts";
import { explain } from "./explain.ts";
import type { Facts } from "./facts.ts";

test("a Scheduler that cannot record what it reads is named, as long as the task is open", () => {
  const stalledConsumer = {
    instance: "scheduler-1",
    queue: "scheduler.replies",
    messages: 3,
    failures: 12,
    forMs: 40_000,
    error: "a right is missing",
  };
  const named =
    "scheduler-1 has failed for 40 s to record 3 messages of scheduler.replies (a right is missing): what the task waits for may be among them; see holdfast doctor.";
  expect(explain({ ...facts, stalledConsumers: [stalledConsumer] }).evidence).toEqual([named]);
  const finished = { processState: "processed", finishedAt: noon } as const;
  expect(
    explain({ ...facts, ...finished, stalledConsumers: [stalledConsumer] }).evidence,
  ).not.toContain(named);
});

const failures = (number: number) =>
  ({
    steps: new Map([["charge", { retry: { failures: number }, after: ["reserve"], undoes: null }]]),
    downstream: new Map(),
  }) as unknown as TaskFacts["plan"];

const sentence = (task: Partial<Facts>, step: Partial<StepFacts> = {}): string =>
  explain({ ...facts, steps: [{ ...charge, ...step }], ...task }).sentence;

const evidence = (task: Partial<Facts>): string =>
  explain({ ...facts, ...task }).evidence.join("\n");

describe("explains of a step that is due", () => {
  test.each<readonly [string, Partial<Facts>]>([
    [
      "with 7 of its Agent in flight. It is in the band normal: 3 are due before it (undo 1, normal 2).",
      {},
    ],
    ["The workflow shopping.v1 is paused by ann since", { workflowPaused: pause }],
    ["The Agent payments is paused by ann since", { lanes: [{ ...lane, paused: pause }] }],
    [
      "It is paused by ann since 2026-01-01T11:59:00.000Z (60 s ago) because: stock-taking",
      { paused: pause },
    ],
    ["No Scheduler runs", { broker: { ...broker, schedulers: 0 } }],
    [
      "The broker takes no messages (low on disk)",
      { broker: { ...broker, blocked: "low on disk" } },
    ],
    [
      "The Agent payments has no queue (agent.payments)",
      { broker: { ...broker, consumers: { payments: null } } },
    ],
    [
      "No process serves the Agent payments. Start the Agent payments.",
      { broker: { ...broker, consumers: { payments: 0 } } },
    ],
    [
      "The breaker of every instance of the Agent payments is open until 2026-01-01T12:00:09.000Z (in 9 s)",
      { lanes: [{ ...lane, broken: 2, brokenUntil: noon + 9_000 }] },
    ],
    [
      "The breaker of every instance of the Agent payments is open until 2026-01-01T12:00:09.000Z (in 9 s)",
      {
        lanes: [{ ...lane, broken: 2, brokenUntil: noon + 9_000 }],
        broker: { ...broker, consumers: { payments: 0 } },
      },
    ],
    [
      "The Agent payments has its full 400 steps in flight (MAX_IN_FLIGHT is 200 for each of 2 Schedulers)",
      { lanes: [{ ...lane, inFlight: 400 }] },
    ],
    [
      "The Agent payments has its full 15 steps in flight (15 steps for the 10 slots of 2 instances; more instances or a higher CONCURRENCY would take more)",
      { lanes: [{ ...lane, inFlight: 15, slots: [4, 6] }] },
    ],
    ["with 14 of its Agent in flight", { lanes: [{ ...lane, inFlight: 14, slots: [4, 6] }] }],
    [
      "with 399 of its Agent in flight. It is in the band normal: 3 are due before it",
      { lanes: [{ ...lane, inFlight: 399 }] },
    ],
    ["3 are due before it", { broker: unseenBroker }],
    ["3 are due before it", { lanes: [{ ...lane, broken: 1, brokenUntil: noon + 9_000 }] }],
  ])("%s", (text, task) => {
    expect(sentence(task)).toContain(text);
  });
});

describe("explains of a step of a pool", () => {
  const pool = { agent: "payments+payments-eu" };
  const other = { ...lane, agent: "payments-eu" };
  const both = { ...broker, consumers: { payments: 1, "payments-eu": 1 } };

  test("that it waits for its turn as long as one of its Agents can take it", () => {
    const said = sentence({ lanes: [{ ...lane, paused: pause }, other], broker: both }, pool);
    expect(said).toContain("step charge of Agent payments+payments-eu, which is due");
    expect(said).toContain("a Scheduler claims it when its turn comes, with 14 of its Agent");
  });

  test("what is the matter with each if none can", () => {
    const lanes = [{ ...lane, paused: pause }, other];
    const said = sentence({ lanes, broker: { ...both, consumers: { "payments-eu": 0 } } }, pool);
    expect(said).toContain("The Agent payments is paused by ann");
    expect(said).toContain("No process serves the Agent payments-eu.");
  });
});

describe("explains of a step that is delayed", () => {
  const rest = { notBefore: noon + 30_000, failureCount: 2, faultCode: "payments.busy" };
  test.each<readonly [string, Partial<StepFacts>]>([
    [
      "backs off until 2026-01-01T12:00:30.000Z (in 30 s), having failed 2 of 3 times (payments.busy, said by the remote service)",
      { lastAction: "retry" },
    ],
    ["cools down until 2026-01-01T12:00:30.000Z", { lastAction: "coolDown" }],
    ["was requeued 4 times in a row", { lastAction: "requeue", requeueCount: 4 }],
    [
      "no failure of the step is counted, and it is tried again until an Agent does it, however long that takes; a person is alerted after each 20 times in a row (step.delayed).",
      { lastAction: "requeue", requeueCount: 4 },
    ],
    ["is not due until", { lastAction: "plan" }],
    ["paused until a moment ago", { notBefore: Number.POSITIVE_INFINITY }],
  ])("%s", (text, step) => {
    expect(sentence({ plan: failures(3) }, { ...rest, ...step })).toContain(text);
  });
});

test.each([
  ["that is due", {}, "The Agent payments has no queue (agent.payments)"],
  [
    "that was requeued",
    { lastAction: "requeue", notBefore: noon + 9_000, requeueCount: 4 },
    "the queue agent.payments is missing",
  ],
  [
    "that is in flight",
    { processState: "processing" as const, completeBy: noon + 9_000 },
    "The Agent payments has no queue (agent.payments)",
  ],
])("of a step %s why says that the queue of its Agent is missing", (_, step, text) => {
  expect(sentence({ broker: { ...broker, consumers: { payments: null } } }, step)).toContain(text);
});

test("why names the person who resolved a step by hand", () => {
  const undo = { name: "charge:undo", kind: "undo" as const, attempt: 3 };
  const resolved = { lastAction: "resolve", lastActor: "ann", processState: "processed" as const };
  expect(evidence({ steps: [{ ...charge, ...undo, ...resolved }, { ...charge }] })).toContain(
    "The undo of step charge of Agent payments was resolved by hand by ann at 2026-01-01T11:59:55.000Z",
  );
});

test("why names the command that ends a step's delay", () => {
  for (const lastAction of ["retry", "coolDown", "requeue"]) {
    expect(sentence({}, { notBefore: noon + 30_000, lastAction })).toContain(
      "To retry it at once: POST /v1/tasks/:id/steps/charge/retry.",
    );
  }
});

test("why says how often a step may be sent again that has a limit of its own", () => {
  const plan = { steps: new Map([["charge", { maxRequeues: 40, retry: { failures: 3 } }]]) };
  const requeued = { lastAction: "requeue", requeueCount: 4, notBefore: noon + 30_000 };
  const said = (task: Partial<Facts>) =>
    sentence({ plan: plan as unknown as TaskFacts["plan"], ...task }, requeued);
  expect(said({})).toContain("at most 40 times in a row, and then the task halts; a person");
  expect(said({ completeBy: noon + 60_000 })).toContain(
    "halts, and at most until 2026-01-01T12:01:00.000Z (in 60 s), the limit of the task;",
  );
});

describe("explains of a step that is processing", () => {
  const hand: Partial<StepFacts> = {
    processState: "processing",
    lockedBy: "scheduler-7",
    attempt: 2,
    failureCount: 1,
    completeBy: noon + 4_000,
    confirmed: true,
  };
  test.each<readonly [string, Partial<StepFacts>]>([
    [
      "claimed by scheduler-7 since 2026-01-01T11:59:55.000Z (5 s ago) (attempt 2, 1 of 3 failures counted)",
      {},
    ],
    ["the broker has the request, lease until 2026-01-01T12:00:04.000Z (in 4 s)", {}],
    ["the broker's confirm is not recorded yet", { confirmed: false }],
    ["whose time was over at 2026-01-01T11:59:59.000Z (1000 ms ago)", { completeBy: noon - 1_000 }],
    ["for the undo of step charge of Agent payments", { name: "charge:undo", kind: "undo" }],
  ])("%s", (text, step) => {
    expect(sentence({ plan: failures(3) }, { ...hand, ...step })).toContain(text);
  });

  test("that silence is no failure while replies may not arrive, and how long it may wait", () => {
    const over = { ...hand, completeBy: noon - 1_000 };
    const trouble = "the broker did not confirm it";
    const unproven = [{ queue: "scheduler.replies", trouble, silentSince: noon - 9_000 }];
    expect(sentence({ unproven }, over)).toContain(
      "Whether a reply could have arrived is not known since 2026-01-01T11:59:51.000Z (9 s ago) (of the last probe to scheduler.replies: the broker did not confirm it), so its silence is no failure: it waits until a probe comes through, however long that takes.",
    );
    expect(sentence({ unproven, completeBy: noon + 60_000 }, over)).toContain(
      "at most until 2026-01-01T12:01:00.000Z (in 60 s), the limit of the task.",
    );
  });

  test("how it will end, even if its task is paused", () => {
    expect(sentence({ paused: pause }, hand)).toContain("claimed by scheduler-7");
  });
});

describe("explains of a step that waits", () => {
  const waiting: StepFacts = { ...charge, processState: "waiting", notBefore: null };
  const reserve: StepFacts = { ...charge, name: "reserve", agent: "inventory" };

  test("which steps come before it", () => {
    const steps = [{ ...reserve, processState: "processing" as const }, waiting];
    expect(evidence({ steps, plan: failures(3) })).toContain(
      "what comes before: reserve (processing)",
    );
  });

  test("that the task halted", () => {
    const failed = { ...reserve, processState: "error" as const, faultCode: "inventory.gone" };
    expect(evidence({ processState: "halted", steps: [failed, waiting] })).toContain(
      "the task halted at step reserve of Agent inventory with inventory.gone, said by the remote service.",
    );
  });

  test("that no Scheduler has planned it, or decided its condition", () => {
    expect(sentence({ steps: [waiting] })).toContain("it is not planned yet");
    const undecided = { ...waiting, admitted: false };
    expect(sentence({ steps: [undecided] })).toContain("whose condition is not decided");
  });

  test("which undos come first", () => {
    const plan = {
      steps: new Map([["reserve:undo", { undoes: "reserve", after: [] }]]),
      downstream: new Map([["reserve", ["charge"]]]),
    } as unknown as TaskFacts["plan"];
    const undo: StepFacts = { ...waiting, name: "reserve:undo", kind: "undo" };
    const steps = [
      { ...reserve, processState: "processed" as const },
      { ...charge, processState: "processed" as const, attempt: 1 },
      undo,
      { ...undo, name: "charge:undo", processState: "pending" as const },
    ];
    const text = evidence({ goal: "undo", processState: "undoing", steps, plan });
    expect(text).toContain("waits with the undo of step reserve of Agent payments");
    expect(text).toContain("what comes before: charge:undo (pending)");
  });
});

describe("explains of a task that has ended, or needs a person,", () => {
  const failed = { processState: "error", faultCode: "payments.declined", attempt: 3 } as const;
  test.each<readonly [string, Partial<Facts>, Partial<StepFacts>]>([
    [
      "It was processed at 2026-01-01T11:59:50.000Z",
      { processState: "processed", finishedAt: noon - 10_000 },
      {},
    ],
    [
      "It was undone at 2026-01-01T11:59:50.000Z (10 s ago), because of payments.declined, said by the remote service, at step charge",
      { processState: "undone", goal: "undo", finishedAt: noon - 10_000 },
      failed,
    ],
    [
      "because of operator.cancel, said by a person.",
      { processState: "undone", goal: "undo", faultCode: "operator.cancel" },
      { processState: "cancelled" },
    ],
    [
      "because of task.expired, said by the workflow's definition.",
      { processState: "undone", goal: "undo", faultCode: "task.expired" },
      { processState: "cancelled" },
    ],
    [
      "halted with step.expired, said by an Agent that had the request, at step charge",
      { processState: "halted" },
      { ...failed, faultCode: "step.expired" },
    ],
    [
      "halted with store.refused, at step charge",
      { processState: "halted" },
      { ...failed, faultCode: "store.refused" },
    ],
    [
      "It halted with payments.declined: no money, said by the remote service, at step charge of Agent payments: resubmit or resolve it, or cancel the task.",
      { processState: "halted" },
      { ...failed, faultDetail: "no money" },
    ],
    [
      "at the undo of step charge of Agent payments: resubmit or resolve it",
      { processState: "halted", goal: "undo" },
      { ...failed, name: "charge:undo", kind: "undo" },
    ],
    ["nothing to wait for, which must not be", {}, { processState: "processed" }],
  ])("%s", (text, task, step) => {
    expect(sentence(task, step)).toContain(text);
  });
});

test("it says who activated the version of the task, when and why", () => {
  const activated = { at: noon - 60_000, by: "ann", reason: "a roll-back" };
  expect(evidence({ activated })).toMatch(
    /^shopping\.v1 was activated last at \S+Z by ann: a roll-back\.$/m,
  );
  expect(evidence({ activated: null })).not.toContain("activated");
});

describe("explains of a step that waits", () => {
  const rest = {
    name: "rest",
    kind: "wait",
    agent: "",
    processState: "awaiting",
    attempt: 0,
  } as const;

  test.each<readonly [string, Partial<Facts>, Partial<StepFacts>]>([
    [
      "It waits until 2026-01-14T12:00:00.000Z (in 13 d): step rest. Nothing is wrong.",
      {},
      { notBefore: noon + 13 * 86_400_000 },
    ],
    [
      "It waits until 2026-01-14T12:00:00.000Z (in 13 d): step rest. Nothing is wrong.",
      { paused: pause },
      { notBefore: noon + 13 * 86_400_000 },
    ],
    ["which is over: a Scheduler ends it as soon as it can", {}, { notBefore: noon - 60_000 }],
    [
      "which is over. No Scheduler runs",
      { broker: { ...broker, schedulers: 0 } },
      { notBefore: noon - 60_000 },
    ],
    [
      "It halted with wait.time_invalid, said by the workflow's definition, at step rest: resolve it, or cancel the task.",
      { processState: "halted" },
      { processState: "error", faultCode: "wait.time_invalid", faultDetail: null },
    ],
  ])("%s", (text, task, step) => {
    expect(sentence({ ...task, plan: null }, { ...rest, ...step })).toContain(text);
  });

  test.each<readonly [string, Partial<Facts>, Partial<StepFacts>]>([
    [
      "It waits for the signal paid until 2026-01-14T12:00:00.000Z (in 13 d): step rest. Nothing is wrong.",
      {},
      { notBefore: noon + 13 * 86_400_000 },
    ],
    ["It waits for the signal paid: step rest. Nothing is wrong.", {}, { notBefore: null }],
    ["which is over: a Scheduler ends it as soon as it can", {}, { notBefore: noon - 60_000 }],
    [
      "which is over: it fails once the task goes on, and not before.",
      { paused: pause },
      { notBefore: noon - 60_000 },
    ],
  ])("%s", (text, task, step) => {
    const paid = { name: "rest", kind: "signal", signal: "paid", within: 1, onDeadline: "fail" };
    const plan = { steps: new Map([["rest", paid]]) } as unknown as TaskFacts["plan"];
    expect(sentence({ ...task, plan }, { ...rest, kind: "signal", ...step })).toContain(text);
  });

  test.each<readonly [string, Partial<Facts>, Partial<StepFacts>]>([
    [
      "It waits for treasury to decide, of whom 1 of 2 have approved, until 2026-01-14T12:00:00.000Z (in 13 d): step rest. Nothing is wrong.",
      {},
      { notBefore: noon + 13 * 86_400_000, approvals: 1 },
    ],
    [
      "which is over: it fails once the task goes on, and not before.",
      { paused: pause },
      { notBefore: noon - 60_000, approvals: 0 },
    ],
    [
      "It halted with approval.rejected, said by a person, at step rest: cancel the task.",
      { processState: "halted" },
      { processState: "error", faultCode: "approval.rejected" },
    ],
  ])("%s", (text, task, step) => {
    const asked = { name: "rest", kind: "approval", audience: "treasury", quorum: 2, within: 1 };
    const plan = { steps: new Map([["rest", { ...asked, onDeadline: "reject" }]]) };
    const found = { ...task, plan: plan as unknown as TaskFacts["plan"] };
    expect(sentence(found, { ...rest, kind: "approval", ...step })).toContain(text);
  });
});
