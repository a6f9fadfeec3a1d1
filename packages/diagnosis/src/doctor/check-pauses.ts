import type { PauseInForce } from "@holdfast/state-store";
import { count } from "../print/count.ts";
import { type Finding, fine } from "./finding.ts";

/** What is paused, by whom and why: an operator's wish, so nothing is wrong, but it holds orders up. */
export function checkPauses({
  inForce,
  tasks,
}: {
  readonly inForce: readonly PauseInForce[];
  readonly tasks: number;
}): readonly Finding[] {
  const targets = inForce.map(
    ({ kind, name, actor, reason, pausedAt }) =>
      `the ${kind === "agent" ? "Agent" : "workflow"} ${name} by ${actor} since ${pausedAt.toISOString()} (${reason})`,
  );
  const all = [...targets, ...(tasks > 0 ? [count(tasks, "order")] : [])];
  const code = "operators.pauses";
  return [fine(code, all.length === 0 ? "nothing is paused" : `paused: ${all.join("; ")}`)];
}
