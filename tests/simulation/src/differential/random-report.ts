import type { ReportedTaskEvent } from "@holdfast/state-store";
import { type Pair, sides } from "./pair.ts";

/** Ids of no task, and a token of no attempt. */
const noise = ["00000000-0000-4000-8000-00000000dead", "00000000-0000-4000-8000-00000000beef"];

/** A report for both, each with its own ids and tokens: about an attempt that was or about none. */
export function randomReport(pair: Pair): readonly [ReportedTaskEvent, ReportedTaskEvent] {
  const { random, tasks, claims } = pair;
  // Rather of late: what was claimed long ago is over.
  const recent = claims.slice(-6);
  const claim = recent.length > 0 && random.chance(0.85) ? random.pick(recent) : null;
  const task = random.chance(0.05) ? noise : random.pick(tasks);
  const stale = random.chance(0.1) ? 1 : 0;
  const wrongToken = random.chance(0.1);
  const agent = random.chance(0.1) ? "nobody" : null;
  const kind = random.below(claim === null ? 8 : 18);
  const retryAfter = random.pick([null, null, 600_000, 8e15, 1e308]);
  const cause = {
    transient: random.chance(0.7),
    attempted: random.chance(0.7),
    effect: random.pick(["none", "unknown"] as const),
  };
  const step = random.pick(["a", "b", "c", "a:undo", "b:undo"]);
  const attempt = random.below(4);
  const inputChanged = random.chance(0.5);
  return sides((side) => {
    const taskId = claim === null ? task[side]! : claim[side].taskId;
    if (claim === null) return ofTask(kind, taskId, { step, attempt, inputChanged });
    const ref = {
      step: claim[side].name,
      attempt: claim[side].attempt + stale,
      token: wrongToken ? noise[1]! : claim[side].token,
    };
    const from = { ...ref, agent: agent ?? claim[side].agent };
    if (kind < 2) return ofTask(kind, taskId, { step, attempt, inputChanged });
    if (kind < 9)
      return { taskId, event: { kind: "completed", ...from }, output: { id: ref.step } };
    if (kind < 12) {
      const failed = { code: "test.failed", retryAfter, ...cause, ...from };
      return { taskId, event: { kind: "failed", ...failed }, faultDetail: "it failed" };
    }
    if (kind === 12) return { taskId, event: { kind: "stopped", effect: cause.effect, ...from } };
    if (kind === 13) return { taskId, event: { kind: "expired", ...ref } };
    if (kind === 14) return { taskId, event: { kind: "neverStarted", ...ref } };
    if (kind > 15) return { taskId, event: { kind: "retryRequested", step: ref.step } };
    return {
      taskId,
      event: { kind: "parked", code: "test.parked", unsent: !cause.attempted, ...ref },
    };
  });
}

function ofTask(
  kind: number,
  taskId: string,
  failed: { readonly step: string; readonly attempt: number; readonly inputChanged: boolean },
): ReportedTaskEvent {
  const { step, attempt, inputChanged } = failed;
  switch (kind) {
    case 0:
      return { taskId, event: { kind: "resubmitted", step, attempt, inputChanged } };
    case 1:
      return { taskId, event: { kind: "resolved", step, attempt }, output: { id: "by hand" } };
    case 2:
      return { taskId, event: { kind: "undoRequested", code: "test.undo" } };
    case 3:
      return { taskId, event: { kind: "paused" } };
    case 4:
      return { taskId, event: { kind: "resumed" } };
    case 5:
      return { taskId, event: { kind: "retryRequested", step } };
    case 6:
      return { taskId, event: { kind: "limitPassed" } };
    default:
      return { taskId, event: { kind: "replanned" } };
  }
}
