import { type Duration, parseDuration, signalOf, stepsOf } from "@holdfast/domain";
import { type DecidedTask, decideStep } from "../decide-step.ts";
import type { Timeline } from "../simulator/timeline.ts";
import type { Case, CaseDecision, CaseSignal } from "./case.ts";

interface Place extends DecidedTask {
  readonly timeline: Pick<Timeline, "now">;
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

/** The operator of a case, those who send its task signals, and those who decide its steps. */
export interface Outside {
  /** Does all of which it is time, and returns when it will be again, by the timeline. */
  act(): number;
  /** Does what may come after the end, and says what is wrong: a line each. */
  end(): readonly string[];
  readonly sent: Sent;
}

/** Has all those act who act on the task of a case from outside, as it says. */
export function openOutside(one: Case, place: Place): Outside {
  const early = new Set<string>();
  const repeated = new Set<string>();
  const senderOf = sendingTo(place, { early, repeated });
  const deeds = [
    ...one.signals.map(senderOf),
    ...one.decisions.map(decidingIn(place)),
    ...cancelling(one.cancelAfter, place),
  ].toSorted((deed, other) => deed.at - other.at);
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
    { store, taskId, definition }: Place,
    { early, repeated }: { readonly early: Set<string>; readonly repeated: Set<string> },
  ) =>
  ({ name, payload, ...signal }: CaseSignal, index: number): Deed => {
    const id = signal.id ?? `signal-${index + 1}`;
    const workflow = definition.name;
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
    return sendingOf(signal, { place: `signals/${index}`, what: `${name} was to be sent`, send });
  };

/** Decides steps of a case. */
const decidingIn =
  (task: Place) =>
  ({ after, times, refused, ...decision }: CaseDecision, index: number): Deed =>
    sendingOf(
      { after, times, refused },
      {
        place: `decisions/${index}`,
        what: `${decision.step} was to be decided by ${decision.by}`,
        send: () => decideStep(task, decision),
      },
    );

interface Sending {
  /** The place in the case that says it, and what that is, for people. */
  readonly place: string;
  readonly what: string;
  /** Sends it once. Returns the code with which it is refused; null: it is accepted. */
  readonly send: () => string | null;
}

/** Sends something to the task, as often as a case says, and compares the answers. */
const sendingOf = (
  { after, times, refused }: Pick<CaseSignal, "after" | "times" | "refused">,
  { place, what, send }: Sending,
): Deed => ({
  at: parseDuration(after),
  missed:
    refused === null
      ? `${place}: ${what} after ${after}, and the task had ended or halted before`
      : null,
  act() {
    const answers = Array.from({ length: times }, send);
    const unexpected = answers.find((answer) => answer !== refused);
    if (unexpected === undefined) return null;
    if (unexpected === null) return `${place}: expected ${refused}, was accepted`;
    return `${place}: expected ${refused ?? "to be accepted"}, was refused: ${unexpected}`;
  },
});
