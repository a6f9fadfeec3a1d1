import type { Step, Task } from "@holdfast/domain";
import type { StoredSignal } from "@holdfast/state-store";
import type { Domain, MemoryStore, StoredTask } from "@holdfast/testing/simulator";
import { editEvents } from "./edit-fold.ts";
import type { Mutation } from "./mutation.ts";

type Send = MemoryStore["sendSignals"];
type Sent = Parameters<Send>[0][number];
type Answer = ReturnType<Send>[number];

/** Signals that are built wrongly, by name. The simulation must find each of them. */
export const signalMutants: Readonly<Record<string, Mutation>> = {
  "a sender does not lock the task": {
    store: (store) => ({
      ...store,
      sendSignals: sendingEach((signal) => {
        const stored = store.tasks.get(signal.taskId);
        const forget = stored === undefined ? () => {} : rememberWaits(stored);
        const answer = sendOne(store, signal);
        // It has not seen that a step opened a moment ago.
        if (stored !== undefined && stored.updatedAt + unseenFor > storeNow(stored, answer))
          forget();
        return answer;
      }),
    }),
  },
  "a signal wakes no wait": {
    store: (store) => ({
      ...store,
      sendSignals: sendingEach((signal) => {
        const stored = store.tasks.get(signal.taskId);
        const forget = stored === undefined ? () => {} : rememberWaits(stored);
        const answer = sendOne(store, signal);
        forget();
        return answer;
      }),
    }),
  },
  "a signal that comes early is dropped": {
    store: (store) => ({
      ...store,
      sendSignals: sendingEach((signal) => {
        const stored = store.tasks.get(signal.taskId);
        if (stored === undefined || stepsFor(stored, signal.name).some(isAwaiting)) {
          return sendOne(store, signal);
        }
        return { kind: "accepted", at: "2026-01-01T00:00:00.000Z", replayed: false };
      }),
    }),
  },
  "a step that opens does not see that its signal is there": {
    store: (store) => openingLate(store),
  },
  "a signal that comes again is another one": {
    store: (store) => ({
      ...store,
      sendSignals: sendingEach((signal) => {
        const { signals = [] } = store.tasks.get(signal.taskId) ?? {};
        const isKnown = signals.some(({ id }) => id === signal.id);
        const id = isKnown ? `${signal.id}, again` : signal.id;
        return sendOne(store, { ...signal, id });
      }),
    }),
  },
  "an id is not held against what it stands for": {
    store: (store) => ({
      ...store,
      sendSignals: sendingEach((signal) => {
        const answer = sendOne(store, signal);
        return answer.kind === "refused" && answer.code === "signal.id_reused"
          ? { kind: "accepted", at: "2026-01-01T00:00:00.000Z", replayed: true }
          : answer;
      }),
    }),
  },
  "a wait that was cancelled takes a signal": {
    store: (store) => ({
      ...store,
      fireWaits(round) {
        for (const stored of store.tasks.values()) {
          for (const step of stored.task.steps.values()) {
            if (step.processState !== "cancelled" || step.plan.kind !== "signal") continue;
            const { signal, name } = step.plan;
            editSignals(stored, (one) =>
              one.name === signal && one.takenBy === null ? { ...one, takenBy: name } : one,
            );
          }
        }
        return store.fireWaits(round);
      },
    }),
  },
  "the newest signal is taken first": {
    store: (store) => ({
      ...store,
      fireWaits: (round) => {
        for (const { signals } of store.tasks.values()) signals.reverse();
        const fired = store.fireWaits(round);
        for (const { signals } of store.tasks.values()) signals.reverse();
        return fired;
      },
    }),
  },
  "a signal is not marked as taken": {
    store: (store) => ({
      ...store,
      fireWaits(round) {
        const fired = store.fireWaits(round);
        for (const stored of store.tasks.values()) {
          editSignals(stored, (one) => ({ ...one, takenBy: null }));
        }
        return fired;
      },
    }),
  },
  "a mailbox is drained twice": {
    store: (store) => ({
      ...store,
      submitTasks(tasks, options) {
        const before = [...store.mailbox];
        const submitted = store.submitTasks(tasks, options);
        store.mailbox.splice(0, store.mailbox.length, ...before);
        return submitted;
      },
    }),
  },
  "a mailbox is not drained": {
    store: (store) => ({
      ...store,
      submitTasks(tasks, options) {
        const before = store.mailbox.splice(0, store.mailbox.length);
        const submitted = store.submitTasks(tasks, options);
        store.mailbox.push(...before);
        return submitted;
      },
    }),
  },
  "a signal is accepted that no step can take any more": {
    store: (store) => ({
      ...store,
      sendSignals: sendingEach((signal) => {
        const answer = sendOne(store, signal);
        return answer.kind === "refused" && answer.code === "signal.too_late"
          ? { kind: "accepted", at: "2026-01-01T00:00:00.000Z", replayed: false }
          : answer;
      }),
    }),
  },
  "a deadline fails while its task is paused": {
    domain: lapsingAs(
      (task) => (task.paused ? { ...task, paused: false } : task),
      (folded, task) => (task.paused ? { ...folded, paused: true } : folded),
    ),
  },
  "a deadline fails while its task is halted": {
    domain: lapsingAs(
      (task) => (task.processState === "halted" ? { ...task, processState: "processing" } : task),
      (folded) => folded,
    ),
  },
  "a wait that was held up is forgotten when its task goes on": {
    store: (store) => ({
      ...store,
      applyEvents(events, options) {
        const held = [...store.tasks.values()].flatMap((stored) =>
          [...stored.waits].flatMap(([step, dueAt]) =>
            dueAt === Number.POSITIVE_INFINITY ? [{ stored, step }] : [],
          ),
        );
        const applied = store.applyEvents(events, options);
        for (const { stored, step } of held) {
          if (stored.waits.has(step)) stored.waits.set(step, Number.POSITIVE_INFINITY);
        }
        return applied;
      },
    }),
  },
  "a pause does not move a deadline on": {
    domain: editEvents((event) => (event.kind === "resumed" ? { kind: "resumed" } : event)),
  },
  "a pause moves on a deadline after which the task goes on": {
    domain: (domain) => ({
      ...domain,
      foldEvents(task, reported, options) {
        const folded = domain.foldEvents(task, reported, options);
        const [first] = reported;
        if (first?.event.kind !== "resumed") return folded;
        const { pausedFor = 0 } = first.event;
        return {
          ...folded,
          task: withSteps(folded.task, (step) => movedOn(task, step, pausedFor)),
        };
      },
    }),
  },
  "a signal loses to the deadline": {
    store: (store) => ({
      ...store,
      fireWaits(round) {
        const kept = [...store.tasks.values()].map(
          (stored) => [stored, [...stored.signals]] as const,
        );
        for (const [stored] of kept) hideOverdue(stored);
        const fired = store.fireWaits(round);
        for (const [stored, all] of kept) restore(stored, all);
        return fired;
      },
    }),
  },
  "an operator has a task go on without a signal that it needs": {
    domain: editEvents((event, task) =>
      event.kind === "waitEnded" && event.by === "operator" && mayLapse(task, event.step)
        ? { ...event, by: "signal" }
        : event,
    ),
  },
};

/** Milliseconds for which what another transaction saved is not seen. */
const unseenFor = 60;

const storeNow = ({ updatedAt }: StoredTask, answer: Answer): number =>
  answer.kind === "accepted" ? Date.parse(answer.at) : updatedAt;

const sendingEach =
  (send: (signal: Sent) => Answer): Send =>
  (signals) =>
    signals.map(send);

const sendOne = (store: MemoryStore, signal: Sent): Answer => store.sendSignals([signal])[0]!;

/** Remembers when waits are due. Returns what has them be so again. */
export function rememberWaits({ waits, cameAts }: StoredTask): () => void {
  const known = [new Map(waits), new Map(cameAts)] as const;
  return () => {
    for (const [step, dueAt] of known[0]) waits.set(step, dueAt);
    for (const step of waits.keys()) if (!known[1].has(step)) cameAts.delete(step);
  };
}

const isAwaiting = ({ processState }: Step): boolean => processState === "awaiting";

const stepsFor = ({ task }: StoredTask, name: string): readonly Step[] =>
  [...task.steps.values()].filter(({ plan }) => plan.kind === "signal" && plan.signal === name);

function editSignals({ signals }: StoredTask, edit: (signal: StoredSignal) => StoredSignal): void {
  signals.splice(0, signals.length, ...signals.map(edit));
}

/** Takes away, for a round, the signals of waits whose time is over. */
function hideOverdue(stored: StoredTask): void {
  const due = new Set(
    [...stored.task.steps.values()].flatMap((step) =>
      step.processState === "awaiting" &&
      step.plan.kind === "signal" &&
      step.notBefore !== null &&
      step.notBefore <= (stored.waits.get(step.plan.name) ?? 0)
        ? [step.plan.signal]
        : [],
    ),
  );
  const left = stored.signals.filter(({ name }) => !due.has(name));
  stored.signals.splice(0, stored.signals.length, ...left);
}

/** Gives back what was taken away, in its place. */
function restore({ signals }: StoredTask, all: readonly StoredSignal[]): void {
  const known = new Map(signals.map((signal) => [signal.id, signal]));
  signals.splice(0, signals.length, ...all.map((signal) => known.get(signal.id) ?? signal));
}

/** Whether a step fails if no signal comes. */
function mayLapse(task: Task, name: string): boolean {
  const plan = task.steps.get(name)?.plan;
  return plan?.kind === "signal" && plan.onDeadline === "fail";
}

/** A store in which what opens is due by its time alone. */
const openingLate = (store: MemoryStore) => ({
  ...store,
  applyEvents: (...asked: Parameters<MemoryStore["applyEvents"]>) => {
    const open = new Set(
      [...store.tasks.values()].flatMap(({ task, waits }) =>
        [...waits.keys()].map((step) => `${task.taskId} ${step}`),
      ),
    );
    const applied = store.applyEvents(...asked);
    for (const { task, waits, cameAts } of store.tasks.values()) {
      for (const name of waits.keys()) {
        const step = task.steps.get(name);
        if (open.has(`${task.taskId} ${name}`) || step?.processState !== "awaiting") continue;
        waits.set(name, step.notBefore ?? Number.POSITIVE_INFINITY);
        cameAts.delete(name);
      }
    }
    return applied;
  },
});

/** Has deadlines that are failures decided on the task as it is not. */
function lapsingAs(see: (task: Task) => Task, put: (folded: Task, task: Task) => Task) {
  return (domain: Domain): Domain => ({
    ...domain,
    foldEvents(task, reported, options) {
      const isLapse = reported.some(
        ({ event }) =>
          event.kind === "waitEnded" && event.by === "deadline" && mayLapse(task, event.step),
      );
      if (!isLapse) return domain.foldEvents(task, reported, options);
      const seen = see(task);
      const folded = domain.foldEvents(seen, reported, options);
      return { ...folded, task: folded.task === seen ? task : put(folded.task, task) };
    },
  });
}

const withSteps = (task: Task, edit: (step: Step) => Step): Task => ({
  ...task,
  steps: new Map([...task.steps].map(([name, step]) => [name, edit(step)])),
});

/** What was open before, with its end moved on. */
const movedOn = (before: Task, step: Step, ms: number): Step =>
  step.processState === "awaiting" &&
  step.notBefore !== null &&
  before.steps.get(step.plan.name) === step
    ? { ...step, notBefore: step.notBefore + ms }
    : step;
