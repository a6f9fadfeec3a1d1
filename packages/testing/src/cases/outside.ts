import { type Duration, parseDuration, signalOf, stepsOf } from "@holdfast/domain";
import type { MemoryStore } from "../simulator/store/memory-store.ts";
import type { Timeline } from "../simulator/timeline.ts";
import type { Case, CaseSignal } from "./case.ts";

interface Place {
  readonly store: MemoryStore;
  readonly timeline: Pick<Timeline, "now">;
  readonly taskId: string;
  /** The workflow of the task. */
  readonly workflow: string;
}

/** What is done to the task of a case from outside, once its time has come. */
interface Deed {
  /** Milliseconds of the timeline. */
  readonly at: number;
  /** What is wrong if the task has ended or halted before; null: nothing, it is done then. */
  readonly missed: string | null;
  /** Returns what is wrong with it; null: nothing. */
  act(): string | null;
}

/** What came from outside so far. */
export interface Sent {
  /** The ids of signals that came before a step began to wait for them. */
  readonly early: ReadonlySet<string>;
  /** The ids of signals that came more than once. */
  readonly repeated: ReadonlySet<string>;
}

/** The operator of a case, and those who send its task signals. */
export interface Outside {
  /** Does all of which it is time, and returns when it will be again, by the timeline. */
  act(): number;
  /** Does what may come after the end, and says what is wrong: a line each. */
  end(): readonly string[];
  readonly sent: Sent;
}

/** Has the operator and the senders of a case act as it says. */
export function openOutside(one: Case, place: Place): Outside {
  const early = new Set<string>();
  const repeated = new Set<string>();
  const senderOf = sendingTo(place, { early, repeated });
  const deeds = [...one.signals.map(senderOf), ...cancelling(one.cancelAfter, place)].toSorted(
    (deed, other) => deed.at - other.at,
  );
  const wrong: string[] = [];
  const perform = (deed: Deed): void => {
    const found = deed.act();
    if (found !== null) wrong.push(found);
  };
  return {
    sent: { early, repeated },
    act() {
      while (deeds[0] !== undefined && deeds[0].at <= place.timeline.now) perform(deeds.shift()!);
      return deeds[0]?.at ?? Number.POSITIVE_INFINITY;
    },
    end() {
      for (const deed of deeds.splice(0)) {
        if (deed.missed === null) perform(deed);
        else wrong.push(deed.missed);
      }
      return wrong;
    },
  };
}

function cancelling(after: Duration | null, { store, taskId }: Place): readonly Deed[] {
  if (after === null) return [];
  const event = { kind: "undoRequested", code: "operator.cancel" } as const;
  return [
    {
      at: parseDuration(after),
      missed: `the task was to be cancelled after ${after}, and had ended or halted before`,
      act() {
        store.applyEvents([{ taskId, event }], { actor: "operator" });
        return null;
      },
    },
  ];
}

/** Sends signals of a case, and notes which came early or more than once. */
const sendingTo =
  (
    { store, taskId, workflow }: Place,
    { early, repeated }: { readonly early: Set<string>; readonly repeated: Set<string> },
  ) =>
  ({ name, after, payload, times, refused, ...signal }: CaseSignal, index: number): Deed => {
    const id = signal.id ?? `signal-${index + 1}`;
    const place = `signals/${index}`;
    const send = (): string | null => {
      const steps = stepsOf(store.tasks.get(taskId)!.task);
      const isAwaited = steps.some(
        ({ plan, processState }) => signalOf(plan) === name && processState === "awaiting",
      );
      if (!isAwaited) early.add(id);
      const [sent] = store.sendSignals([
        { taskId, workflow, name, id, payload, sentBy: "the case" },
      ]);
      if (sent?.kind !== "accepted") return sent?.code ?? null;
      if (sent.replayed) repeated.add(id);
      return null;
    };
    return {
      at: parseDuration(after),
      missed:
        refused === null
          ? `${place}: ${name} was to be sent after ${after}, and the task had ended or halted before`
          : null,
      act() {
        const answers = Array.from({ length: times }, send);
        const unexpected = answers.find((answer) => answer !== refused);
        if (unexpected === undefined) return null;
        if (unexpected === null) return `${place}: expected ${refused}, was accepted`;
        return `${place}: expected ${refused ?? "to be accepted"}, was refused: ${unexpected}`;
      },
    };
  };
