import type { PauseTarget } from "@holdfast/state-store";
import type { World } from "./world.ts";

/** Time during which something was paused; `to` null: it still is. */
export interface Span {
  readonly from: number;
  to: number | null;
}

/** A task with its pauses. */
export interface Pausable {
  readonly at: number;
  readonly workflow: string;
  readonly agents: ReadonlySet<string>;
  readonly pauses: Span[];
}

/** The pauses of Agents and workflows, and the time for which they hold a task. */
export interface PauseRecord {
  begin(spans: Span[]): void;
  end(spans: readonly Span[]): void;
  spansOf(target: PauseTarget): Span[];
  /** Milliseconds for which the limit of the task has been running. */
  ranFor(task: Pausable): number;
}

export const isOpen = (spans: readonly Span[] | undefined): boolean => spans?.at(-1)?.to === null;

export function pauseRecord({ timeline }: Pick<World, "timeline">): PauseRecord {
  const targets = new Map<string, Span[]>();

  const spansOf = ({ kind, name }: PauseTarget): Span[] => {
    const key = `${kind} ${name}`;
    const spans = targets.get(key) ?? [];
    targets.set(key, spans);
    return spans;
  };

  return {
    begin: (spans) => void spans.push({ from: timeline.now, to: null }),
    end(spans) {
      const last = spans.at(-1);
      if (last?.to === null) last.to = timeline.now;
    },
    spansOf,
    ranFor({ at, pauses, agents, workflow }) {
      const spans = [
        ...pauses,
        ...spansOf({ kind: "workflow", name: workflow }),
        ...[...agents].flatMap((name) => spansOf({ kind: "agent", name })),
      ]
        .map(({ from, to }) => ({ from: Math.max(from, at), to: to ?? timeline.now }))
        .toSorted((one, other) => one.from - other.from);
      let counted = at;
      let paused = 0;
      for (const { from, to } of spans) {
        paused += Math.max(0, to - Math.max(from, counted));
        counted = Math.max(counted, to);
      }
      return timeline.now - at - paused;
    },
  };
}
