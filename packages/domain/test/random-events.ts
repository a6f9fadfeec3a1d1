import * as fc from "fast-check";
import type { Step } from "../src/step.ts";
import { asksAgent, audienceOf, signalOf } from "../src/step-kinds.ts";
import { stepsOf, type Task } from "../src/task.ts";
import type { TaskEvent } from "../src/task-event.ts";
import type { ApprovalTerms, SignalTerms, WaitTime } from "../src/workflow-definition.ts";
import type { StepPlan } from "../src/workflow-plan.ts";
import { definitionOf, type GivenStep } from "./fixtures.ts";

const names = ["a", "b", "c", "d", "e", "f"];

/** Waits, for a while and until a value says so, and one whose value never says an instant. */
const soundWaits = [
  { for: 60_000 },
  { until: { $ref: "/input/until" }, atMost: 3_600_000 },
] as const;
const waits = [...soundWaits, { until: { $ref: "/input/nothing" } }] as const;

/** Steps that wait for one of two signals, also for ever, and for one that comes too late. */
const soundSignals = [
  { signal: "paid", within: 1_200_000, onDeadline: "continue", onFailure: "undo" },
  { signal: "paid", within: null, onDeadline: "continue", onFailure: "undo" },
] as const;
const signals = [
  ...soundSignals,
  { signal: "paid", within: 300_000, onDeadline: "fail", onFailure: "undo" },
  { signal: "shipped", within: 300_000, onDeadline: "fail", onFailure: "halt" },
] as const;

/**
 * Steps that people decide, also for ever, with a deadline that decides, and some of which it is
 * not known who may not decide.
 */
const soundApprovals: readonly Partial<ApprovalTerms>[] = [
  { within: 1_200_000, onDeadline: "approve", remindAfter: 60_000 },
  { within: null, quorum: 2, excludes: [{ $ref: "/input/until" }] },
];
const approvals: readonly Partial<ApprovalTerms>[] = [
  ...soundApprovals,
  { within: 300_000, onDeadline: "approve", excludes: [{ $ref: "/input/nothing" }] },
  { within: 300_000, onDeadline: "reject" },
  { within: 300_000, onDeadline: "fail", onFailure: "halt" },
];

/** The terms of the steps of a workflow that wait. */
interface Terms {
  readonly times: readonly WaitTime[];
  readonly signals: readonly SignalTerms[];
  readonly approvals: readonly Partial<ApprovalTerms>[];
}

/**
 * Any workflow of up to six steps: every graph, with and without undo, condition, halt, cool-down,
 * waits, signals, approvals.
 */
export const anyWorkflow = workflowsWith({ times: waits, signals, approvals });
export const anySoundWorkflow = workflowsWith({
  times: soundWaits,
  signals: soundSignals,
  approvals: soundApprovals,
});

function workflowsWith(terms: Terms) {
  const drawn = fc.record({
    before: fc.bigInt({ min: 0n, max: 63n }),
    failures: fc.integer({ min: 1, max: 3 }),
    coolDown: fc.constantFrom(null, { wait: 10_000, times: 1 }),
    onFailure: fc.constantFrom("undo" as const, "halt" as const),
    undoable: fc.boolean(),
    wanted: fc.constantFrom("yes", "no", null),
    maxRequeues: fc.constantFrom(undefined, undefined, 1),
    wait: fc.constantFrom(null, null, null, ...terms.times),
    signal: fc.constantFrom(null, null, null, ...terms.signals),
    approval: fc.constantFrom(null, null, null, null, ...terms.approvals),
  });
  return fc
    .array(drawn.map(stepDrawn), { minLength: 1, maxLength: names.length })
    .map((steps) => definitionOf(steps.map((stepAt, index) => stepAt(index))));
}

interface DrawnStep {
  readonly before: bigint;
  readonly failures: number;
  readonly coolDown: { readonly wait: number; readonly times: number } | null;
  readonly onFailure: "undo" | "halt";
  readonly undoable: boolean;
  readonly wanted: string | null;
  readonly maxRequeues: number | undefined;
  readonly wait: WaitTime | null;
  readonly signal: SignalTerms | null;
  readonly approval: Partial<ApprovalTerms> | null;
}

function stepDrawn(drawn: DrawnStep) {
  const { before, onFailure, wanted, wait, signal, approval, ...policy } = drawn;
  return (index: number): GivenStep => {
    const common = {
      name: names[index] ?? "",
      after: names.slice(0, index).filter((_, bit) => ((before >> BigInt(bit)) & 1n) === 1n),
      onlyIf: wanted === null ? null : { equals: [{ $ref: "/input/wanted" }, wanted] as const },
    };
    if (approval !== null) return { ...common, approval };
    if (signal !== null) return { ...common, signal };
    if (wait !== null) return { ...common, onFailure, wait };
    const { failures, coolDown, undoable, maxRequeues } = policy;
    return {
      ...common,
      onFailure,
      retry: { failures, backoff: 1_000, max: 4_000 },
      coolDown,
      ...(undoable ? {} : { undo: null }),
      ...(maxRequeues === undefined ? {} : { maxRequeues }),
    };
  };
}

/** What may happen, by kind; `pick` chooses among the steps that it could happen to. */
export const anyHappening = fc.record({
  kind: fc.constantFrom(
    ...(["claim", "complete", "fail", "failForGood", "breakerOpen", "failWithoutEffect"] as const),
    ...([
      "stop",
      "expire",
      "neverStarted",
      "park",
      "resubmit",
      "resolve",
      "undo",
      "replan",
      "pause",
      "resume",
      "retryNow",
      "limitPassed",
      "fire",
      "fire",
      "fireNow",
      "signal",
      "signal",
      "approve",
      "approve",
      "reject",
      "resumeLate",
    ] as const),
    ...(["stale", "forged", "claim", "claim", "claim", "claim", "claim"] as const),
    ...(["complete", "complete", "complete", "complete"] as const),
  ),
  pick: fc.nat(),
  confirmed: fc.boolean(),
});
export type Happening = typeof anyHappening extends fc.Arbitrary<infer T> ? T : never;

const among = (steps: readonly Step[], state: Step["processState"], pick: number) => {
  const candidates = steps.filter(({ processState }) => processState === state);
  return candidates[pick % Math.max(1, candidates.length)];
};

/** Its reply may be wrong, after work that may be done. */
const finalCode = (pick: number): string => (pick % 3 === 0 ? "step.reply_invalid" : "x.y");

const enders = {
  fire: "deadline",
  fireNow: "operator",
  signal: "signal",
  approve: "approval",
  reject: "rejection",
} as const;
type End = keyof typeof enders;
const isEnd = (kind: Happening["kind"]): kind is End => Object.hasOwn(enders, kind);

/** Whether a step waits for what ends a wait in that way. */
const waitsFor: Partial<Record<End, (plan: StepPlan) => boolean>> = {
  signal: (plan) => signalOf(plan) !== null,
  approve: (plan) => audienceOf(plan) !== null,
  reject: (plan) => audienceOf(plan) !== null,
};

/**
 * The end of a wait, by its time, by a signal, by people or by an operator; null: no step waits for
 * it.
 */
function endOfWait(steps: readonly Step[], kind: End, pick: number): TaskEvent | null {
  const isMeant = waitsFor[kind] ?? (() => true);
  const meant = steps.filter(({ plan }) => isMeant(plan));
  const awaiting = among(meant, "awaiting", pick);
  return awaiting ? { kind: "waitEnded", step: awaiting.plan.name, by: enders[kind] } : null;
}

type Events = Readonly<Partial<Record<Happening["kind"], TaskEvent>>>;

const eventsOfTask: Events = {
  undo: { kind: "undoRequested", code: "operator.cancel" },
  replan: { kind: "replanned" },
  pause: { kind: "paused" },
  resume: { kind: "resumed" },
  resumeLate: { kind: "resumed", pausedFor: 200_000 },
  limitPassed: { kind: "limitPassed" },
};
/** What happens once in so many times that it is drawn. */
const rarities: Readonly<Partial<Record<Happening["kind"], number>>> = { undo: 2, limitPassed: 4 };

/** What happens to the task as a whole; null: nothing. */
const eventOfTask = ({ kind, pick }: Happening): TaskEvent | null =>
  pick % (rarities[kind] ?? 1) === 0 ? (eventsOfTask[kind] ?? null) : null;

/** What happens to a step that no Agent is at work on; null: nothing. */
function eventOfRest(task: Task, { kind, pick }: Happening): TaskEvent | null {
  const steps = stepsOf(task);
  if (isEnd(kind)) return endOfWait(steps, kind, pick);
  if (kind === "retryNow" || kind === "claim") {
    const step = among(steps, "pending", pick)?.plan.name;
    if (step === undefined) return null;
    return kind === "retryNow"
      ? { kind: "retryRequested", step }
      : { kind: "claimed", step, by: "s", token: `t${pick}` };
  }
  if (kind !== "resubmit" && kind !== "resolve") return null;
  const failed = among(steps, "error", pick);
  if (!failed) return null;
  const ref = { step: failed.plan.name, attempt: failed.attempt };
  // Nothing else is left of a step that its audience did not approve.
  if (kind === "resubmit" && audienceOf(failed.plan) !== null) return eventsOfTask.undo ?? null;
  return kind === "resolve" || !asksAgent(failed.plan)
    ? { kind: "resolved", ...ref }
    : { kind: "resubmitted", ...ref, inputChanged: pick % 2 === 0 };
}

/** What happens to an attempt; null: nothing. */
function eventOfAttempt(task: Task, { kind, pick }: Happening): TaskEvent | null {
  const step = among(stepsOf(task), "processing", pick);
  if (step?.processState !== "processing") return null;
  const ref = { step: step.plan.name, attempt: step.attempt, token: step.token };
  const failure = {
    code: "x.y",
    transient: true,
    attempted: true,
    effect: "unknown",
    retryAfter: pick % 5 === 0 ? 1e308 : null,
  } as const;
  const events: Events = {
    complete: { kind: "completed", ...ref },
    fail: { kind: "failed", ...ref, ...failure },
    failForGood: {
      kind: "failed",
      ...ref,
      ...failure,
      transient: false,
      code: finalCode(pick),
    },
    failWithoutEffect: { kind: "failed", ...ref, ...failure, transient: false, effect: "none" },
    breakerOpen: { kind: "failed", ...ref, ...failure, attempted: false, effect: "none" },
    stop: { kind: "stopped", ...ref, effect: pick % 2 === 0 ? "none" : "unknown" },
    expire: { kind: "expired", excused: pick % 2 === 0, ...ref },
    neverStarted: { kind: "neverStarted", ...ref },
    park: { kind: "parked", ...ref, code: "scheduler.undecidable" },
    stale: { kind: "completed", ...ref, attempt: ref.attempt - 1 },
    forged: { kind: "failed", ...ref, ...failure, token: "forged" },
  };
  return events[kind] ?? null;
}

export const eventFor = (task: Task, happening: Happening): TaskEvent | null =>
  eventOfTask(happening) ?? eventOfRest(task, happening) ?? eventOfAttempt(task, happening);
