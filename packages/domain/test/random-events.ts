import * as fc from "fast-check";
import type { Step } from "../src/step.ts";
import { asksAgent } from "../src/step-kinds.ts";
import { stepsOf, type Task } from "../src/task.ts";
import type { TaskEvent } from "../src/task-event.ts";
import type { WaitTime } from "../src/workflow-definition.ts";
import { definitionOf } from "./fixtures.ts";

const names = ["a", "b", "c", "d", "e", "f"];

/** Waits, for a while and until a value says so, and one whose value never says an instant. */
const soundWaits = [
  { for: 60_000 },
  { until: { $ref: "/input/until" }, atMost: 3_600_000 },
] as const;
const waits = [...soundWaits, { until: { $ref: "/input/nothing" } }] as const;

/**
 * Any workflow of up to six steps: every graph, with and without undo, condition, halt, cool-down,
 * waits.
 */
export const anyWorkflow = workflowsWith(waits);
export const anySoundWorkflow = workflowsWith(soundWaits);

function workflowsWith(times: readonly WaitTime[]) {
  return fc
    .array(
      fc.record({
        before: fc.bigInt({ min: 0n, max: 63n }),
        failures: fc.integer({ min: 1, max: 3 }),
        coolDown: fc.constantFrom(null, { wait: 10_000, times: 1 }),
        onFailure: fc.constantFrom("undo", "halt"),
        undoable: fc.boolean(),
        wanted: fc.constantFrom("yes", "no", null),
        maxRequeues: fc.constantFrom(undefined, undefined, 1),
        wait: fc.constantFrom(null, null, null, ...times),
      }),
      { minLength: 1, maxLength: names.length },
    )
    .map((drawn) =>
      definitionOf(
        drawn.map(
          (
            { before, failures, coolDown, onFailure, undoable, wanted, maxRequeues, wait },
            index,
          ) => {
            const common = {
              name: names[index] ?? "",
              after: names
                .slice(0, index)
                .filter((_, bit) => ((before >> BigInt(bit)) & 1n) === 1n),
              onFailure: onFailure,
              onlyIf:
                wanted === null ? null : { equals: [{ $ref: "/input/wanted" }, wanted] as const },
            };
            if (wait !== null) return { ...common, wait };
            return {
              ...common,
              retry: { failures, backoff: 1_000, max: 4_000 },
              coolDown,
              ...(undoable ? {} : { undo: null }),
              ...(maxRequeues === undefined ? {} : { maxRequeues }),
            };
          },
        ),
      ),
    );
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

/** The end of a wait, by its time or by an operator; null: no step waits. */
function endOfWait(
  steps: readonly Step[],
  kind: "fire" | "fireNow",
  pick: number,
): TaskEvent | null {
  const awaiting = among(steps, "awaiting", pick);
  const by = kind === "fire" ? "deadline" : "operator";
  return awaiting ? { kind: "waitEnded", step: awaiting.plan.name, by } : null;
}

export function eventFor(task: Task, { kind, pick }: Happening): TaskEvent | null {
  const steps = stepsOf(task);
  const failed = among(steps, "error", pick);
  if (kind === "undo")
    return pick % 2 === 0 ? { kind: "undoRequested", code: "operator.cancel" } : null;
  if (kind === "replan") return { kind: "replanned" };
  if (kind === "pause") return { kind: "paused" };
  if (kind === "resume") return { kind: "resumed" };
  if (kind === "limitPassed") return pick % 4 === 0 ? { kind: "limitPassed" } : null;
  if (kind === "retryNow") {
    const delayed = among(steps, "pending", pick);
    return delayed ? { kind: "retryRequested", step: delayed.plan.name } : null;
  }
  if (kind === "claim") {
    const due = among(steps, "pending", pick);
    return due ? { kind: "claimed", step: due.plan.name, by: "s", token: `t${pick}` } : null;
  }
  if (kind === "fire" || kind === "fireNow") return endOfWait(steps, kind, pick);
  if (kind === "resubmit" || kind === "resolve") {
    if (!failed) return null;
    const ref = { step: failed.plan.name, attempt: failed.attempt };
    return kind === "resolve" || !asksAgent(failed.plan)
      ? { kind: "resolved", ...ref }
      : { kind: "resubmitted", ...ref, inputChanged: pick % 2 === 0 };
  }
  const step = among(steps, "processing", pick);
  if (step?.processState !== "processing") return null;
  const ref = { step: step.plan.name, attempt: step.attempt, token: step.token };
  const failure = {
    code: "x.y",
    transient: true,
    attempted: true,
    effect: "unknown",
    retryAfter: pick % 5 === 0 ? 1e308 : null,
  } as const;
  switch (kind) {
    case "complete":
      return { kind: "completed", ...ref };
    case "fail":
      return { kind: "failed", ...ref, ...failure };
    case "failForGood":
      return { kind: "failed", ...ref, ...failure, transient: false, code: finalCode(pick) };
    case "failWithoutEffect":
      return { kind: "failed", ...ref, ...failure, transient: false, effect: "none" };
    case "breakerOpen":
      return { kind: "failed", ...ref, ...failure, attempted: false, effect: "none" };
    case "stop":
      return { kind: "stopped", ...ref, effect: pick % 2 === 0 ? "none" : "unknown" };
    case "expire":
      return { kind: "expired", excused: pick % 2 === 0, ...ref };
    case "neverStarted":
      return { kind: "neverStarted", ...ref };
    case "park":
      return { kind: "parked", ...ref, code: "scheduler.undecidable" };
    case "stale":
      return { kind: "completed", ...ref, attempt: ref.attempt - 1 };
    case "forged":
      return { kind: "failed", ...ref, ...failure, token: "forged" };
  }
}
