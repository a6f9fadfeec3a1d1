import { type Change, type Json, type Step, stepsOf } from "@holdfast/domain";
import type { NewSignal, SentSignal, StoredSignal } from "@holdfast/state-store";
import type { StoredTask, StoreWatcher } from "@holdfast/testing/simulator";
import { nameOf } from "./facts.ts";
import type { World } from "./world.ts";

/** What is known of one signal that a task got. */
interface Arrival {
  readonly name: string;
  readonly id: string;
  readonly n: number;
  readonly isLate: boolean;
  takenBy: string | null;
  /** When it was said to have come, by the first answer; null: there was none yet. */
  answeredAt: string | null;
}

/** A signal that is held for a task that is to come. */
interface Held {
  readonly key: string;
  readonly n: number;
  /** Its beginning and its end, in milliseconds since 1970. */
  readonly at: number;
  readonly until: number;
  hasArrived: boolean;
}

/** What tasks got, what is held for them, and which waits have a signal that they could take. */
interface SignalRecord {
  readonly arrivals: Map<string, Arrival[]>;
  readonly held: Held[];
  /** What was held for a task when it was submitted. */
  readonly expected: Map<string, readonly Held[]>;
  /** The instants in simulated time from which on there has been one. */
  readonly ready: Map<string, number>;
}

/** Holds against its own record what the store saves and answers about signals. */
export interface SignalJudge extends StoreWatcher {
  answered(sent: NewSignal, answer: SentSignal): void;
}

/** Milliseconds after it came, or after all is healed, within which a signal ends a wait. */
const endsWithin = 8_000;

const numberOf = (payload: Json): number | null =>
  typeof payload === "object" && payload !== null && "n" in payload ? Number(payload["n"]) : null;

/** The signals of a name that a step may take, the oldest first. */
const untaken = (arrivals: readonly Arrival[], name: string): readonly Arrival[] =>
  arrivals.filter((one) => one.name === name && !one.isLate && one.takenBy === null);

const arrivalsOf = ({ arrivals }: SignalRecord, taskId: string): Arrival[] => {
  const known = arrivals.get(taskId) ?? [];
  arrivals.set(taskId, known);
  return known;
};

const nameOfSignal = ({ plan }: Step): string | null =>
  plan.kind === "signal" ? plan.signal : null;

const mayTake = ({ task }: StoredTask, name: string): boolean =>
  stepsOf(task).some(
    (step) =>
      nameOfSignal(step) === name &&
      (step.processState === "waiting" || step.processState === "awaiting"),
  );

function arrive(
  world: World,
  record: SignalRecord,
  stored: StoredTask,
  signal: StoredSignal,
): void {
  const { name, id, payload, isLate } = signal;
  const n = numberOf(payload) ?? Number.NaN;
  const witness = () => `${nameOf(stored.task.taskId)}: ${name} ${n}`;
  world.tell("store", () => `${witness()} ${isLate ? "comes too late" : "comes"}`);
  const known = arrivalsOf(record, stored.task.taskId);
  if (known.some((one) => one.id === id || one.n === n)) {
    world.accuse("a signal is stored once", witness);
  }
  if (isLate === mayTake(stored, name)) {
    world.accuse("a signal is late exactly if no step can take it any more", witness);
  }
  const held = record.held.find(
    (one) =>
      one.n === n &&
      one.key === stored.businessKey?.key &&
      Math.floor(one.at) === Date.parse(signal.at),
  );
  if (held?.hasArrived === true) world.accuse("a held signal reaches its task once", witness);
  if (held !== undefined) held.hasArrived = true;
  known.push({ name, id, n, isLate, takenBy: null, answeredAt: null });
}

function judgeAnswer(
  { accuse }: World,
  record: SignalRecord,
  { taskId, id, name, payload }: NewSignal,
  answer: SentSignal,
): void {
  const witness = () => `${nameOf(taskId)}: ${name} ${JSON.stringify(payload)}`;
  const known = arrivalsOf(record, taskId).find((one) => one.id === id);
  const isSame = known !== undefined && known.n === numberOf(payload);
  if (answer.kind === "refused") {
    const isRight =
      answer.code === "signal.too_late"
        ? isSame && known.isLate
        : answer.code === "signal.id_reused" && known !== undefined && !isSame;
    if (!isRight) accuse("a signal is refused for what is so", () => `${witness()} ${answer.code}`);
    return;
  }
  if (known === undefined) return accuse("a signal that was accepted is kept", witness);
  if (!isSame) accuse("an id stands for one signal", witness);
  if (known.isLate) accuse("nothing is accepted that no step can take any more", witness);
  if ((known.answeredAt ?? answer.at) !== answer.at) {
    accuse("a signal that is sent again gets the first answer", witness);
  }
  known.answeredAt = answer.at;
}

interface End {
  readonly stored: StoredTask;
  readonly change: Change;
  readonly name: string;
  readonly by: string;
}

/** What ends a wait is the oldest signal that is there, if there is one. */
function judgeEnd(world: World, record: SignalRecord, { stored, change, name, by }: End): void {
  const { accuse, timeline, healedAt } = world;
  const { taskId } = stored.task;
  const step = change.step.plan.name;
  const witness = () => `${nameOf(taskId, step)}: ${name}, by ${by}`;
  const arrivals = arrivalsOf(record, taskId);
  const [oldest] = untaken(arrivals, name);
  const readyAt = record.ready.get(`${taskId} ${step}`);
  if (healedAt !== null && readyAt !== undefined) {
    if (timeline.now > Math.max(readyAt, healedAt) + endsWithin) {
      accuse("a signal that is there ends a wait soon", witness);
    }
  }
  if (by === "deadline" && oldest !== undefined) {
    accuse("a signal that is there wins over the deadline", witness);
  }
  if (by !== "signal") return;
  const taken = arrivals.find(({ n }) => n === carriedBy(stored, step));
  if (taken === undefined) return accuse("a step returns what its signal carried", witness);
  if (taken.takenBy !== null) accuse("a signal is taken once", witness);
  if (taken.name !== name || taken.isLate) accuse("a step takes a signal of its own", witness);
  if (taken !== oldest) accuse("signals are taken in the order in which they came", witness);
  taken.takenBy = step;
}

/** The number of the signal that a step returns; null: it returns none. */
function carriedBy({ outputs }: StoredTask, step: string): number | null {
  const output = outputs.get(step) ?? null;
  if (typeof output !== "object" || output === null || !("payload" in output)) return null;
  return output["fired"] === "signal" ? numberOf(output["payload"] ?? null) : null;
}

function judgeTask(world: World, record: SignalRecord, stored: StoredTask): void {
  const { taskId } = stored.task;
  const arrivals = arrivalsOf(record, taskId);
  for (const { id, takenBy } of stored.signals) {
    if (takenBy === null || arrivals.find((one) => one.id === id)?.takenBy === takenBy) continue;
    world.accuse("what is taken has ended the step that took it", () => nameOf(taskId, takenBy));
  }
  for (const step of stepsOf(stored.task)) {
    const name = step.processState === "awaiting" ? nameOfSignal(step) : null;
    const id = `${taskId} ${step.plan.name}`;
    if (name === null || untaken(arrivals, name).length === 0) record.ready.delete(id);
    else if (!record.ready.has(id)) record.ready.set(id, world.timeline.now);
  }
}

function judgeHeld({ accuse }: World, { expected }: SignalRecord, taskId: string): void {
  for (const { n, hasArrived } of expected.get(taskId) ?? []) {
    if (!hasArrived) accuse("a held signal reaches its task", () => `${nameOf(taskId)}: ${n}`);
  }
}

/** Keeps its own record of what is sent, and holds what the store saves and answers against it. */
export function judgeSignals(world: World): SignalJudge {
  const record: SignalRecord = {
    arrivals: new Map(),
    held: [],
    expected: new Map(),
    ready: new Map(),
  };
  return {
    submitted({ task, businessKey, createdAt }) {
      const mine = record.held.filter(
        ({ key, until, hasArrived }) =>
          key === businessKey?.key && until > createdAt && !hasArrived,
      );
      record.expected.set(task.taskId, mine);
    },

    held({ key, payload, at, holdFor }) {
      const n = numberOf(payload) ?? Number.NaN;
      record.held.push({ key, n, at, until: at + holdFor, hasArrived: false });
    },

    signalled(stored, signal) {
      arrive(world, record, stored, signal);
      judgeTask(world, record, stored);
    },

    claimed() {},

    confirmed() {},

    resent() {},

    decided(stored, reports) {
      for (const { reportedEvent, changes } of reports) {
        const { event } = reportedEvent;
        const by = event.kind === "waitEnded" ? event.by : "";
        for (const change of changes) {
          const name = nameOfSignal(change.step);
          if (name === null || (change.action !== "fire" && change.action !== "lapse")) continue;
          judgeEnd(world, record, { stored, change, name, by });
        }
      }
      judgeTask(world, record, stored);
      judgeHeld(world, record, stored.task.taskId);
    },

    answered: (sent, answer) => judgeAnswer(world, record, sent, answer),
  };
}
