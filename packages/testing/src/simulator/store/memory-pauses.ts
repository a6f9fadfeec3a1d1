import { agentsOfLane, type Instant, laneOf, stepsOf } from "@holdfast/domain";
import type { PauseRequest, PauseTarget } from "@holdfast/state-store";
import type { StoredTask } from "./memory-task.ts";

type StoredPause = PauseTarget & {
  readonly pausedAt: Instant;
  resumedAt: Instant | null;
  /** The instant at which no step of a paused workflow was set aside any more. */
  releasedAt: Instant | null;
};

/** Pauses of Agents and of workflows, as the state store keeps them. */
export function memoryPauses(now: () => Instant) {
  const pauses: StoredPause[] = [];
  const inForce = ({ kind, name }: PauseTarget): StoredPause | undefined =>
    pauses.find((pause) => pause.kind === kind && pause.name === name && pause.resumedAt === null);
  const unreleased = (): readonly StoredPause[] =>
    pauses.filter(({ kind, releasedAt }) => kind === "workflow" && releasedAt === null);
  return {
    pause({ kind, name }: PauseRequest): boolean {
      if (inForce({ kind, name }) !== undefined) return false;
      pauses.push({ kind, name, pausedAt: now(), resumedAt: null, releasedAt: null });
      return true;
    },
    resume(request: PauseRequest): boolean {
      const pause = inForce(request);
      if (pause === undefined) return false;
      pause.resumedAt = now();
      if (pause.kind === "agent") pause.releasedAt = now();
      return true;
    },
    isPaused: (target: PauseTarget): boolean => inForce(target) !== undefined,
    pausedAgents: (): readonly string[] =>
      pauses.flatMap(({ kind, name, resumedAt }) =>
        kind === "agent" && resumedAt === null ? [name] : [],
      ),
    /** The workflows of which steps may be set aside. */
    unreleasedWorkflows: (): ReadonlySet<string> => new Set(unreleased().map(({ name }) => name)),
    /** The workflows that were resumed, and of which steps may still be set aside. */
    resumedWorkflows: (): ReadonlySet<string> =>
      new Set(
        unreleased().flatMap(({ name }) =>
          inForce({ kind: "workflow", name }) === undefined ? [name] : [],
        ),
      ),
    /** No step of these workflows is set aside any more. */
    release(workflows: ReadonlySet<string>): void {
      for (const pause of unreleased()) {
        if (workflows.has(pause.name)) pause.releasedAt = now();
      }
    },
    /**
     * The time for which the workflow, an Agent or a whole pool of the task has been paused since
     * its submission.
     */
    heldFor({ task, createdAt }: StoredTask): number {
      const spansOf = ({ kind, name }: PauseTarget): readonly Span[] =>
        pauses
          .filter((pause) => pause.kind === kind && pause.name === name)
          .map((pause) => spanOf(pause, createdAt, now()))
          .filter(isSpan);
      const lanes = new Set(stepsOf(task).map(laneOf));
      return lengthOf([
        ...spansOf({ kind: "workflow", name: task.workflow.name }),
        ...[...lanes].flatMap((lane) =>
          agentsOfLane(lane)
            .map((name) => spansOf({ kind: "agent", name }))
            .reduce(overlaps),
        ),
      ]);
    },
  };
}

interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

/** The pause, as far as it is after an instant. */
const spanOf = ({ pausedAt, resumedAt }: StoredPause, after: Instant, now: Instant): Span => ({
  from: Math.max(pausedAt, after),
  to: resumedAt ?? now,
});

const isSpan = ({ from, to }: Span): boolean => to > from;

/** When both are. */
const overlaps = (some: readonly Span[], others: readonly Span[]): readonly Span[] =>
  some
    .flatMap((one) =>
      others.map((other) => ({
        from: Math.max(one.from, other.from),
        to: Math.min(one.to, other.to),
      })),
    )
    .filter(isSpan);

/** How long they last together; where several overlap, once. */
function lengthOf(spans: readonly Span[]): number {
  let length = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const { from, to } of spans.toSorted((one, other) => one.from - other.from)) {
    length += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return length;
}
