import { type AwaitingStep, type Step, stepsOf, type Task } from "@holdfast/domain";
import type { ReportedTaskEvent } from "@holdfast/state-store";
import {
  type Domain,
  type MemoryStore,
  replaceStep,
  type StoredTask,
} from "@holdfast/testing/simulator";
import { editEvents, editPlans } from "./edit-fold.ts";
import type { Mutation } from "./mutation.ts";
import { rememberWaits } from "./signal-mutants.ts";

type RecordDecision = MemoryStore["recordDecision"];
type Said = Parameters<RecordDecision>[0];
type Round = Parameters<MemoryStore["fireWaits"]>[0];

/** Approvals that are built wrongly, by name. The simulation must find each of them. */
export const approvalMutants: Readonly<Record<string, Mutation>> = {
  "one person is counted twice": {
    store: recording((store, said) => {
      const outcome = store.recordDecision(said);
      const isAgain = outcome.kind === "counted" && outcome.replayed && !outcome.isDecided;
      return isAgain ? store.recordDecision({ ...said, actor: `${said.actor}, again` }) : outcome;
    }),
  },
  "a decision after the deadline wins": {
    store: recording((store, said) =>
      recordSeen(store, said, (step) =>
        step.processState === "awaiting" ? { ...step, notBefore: null } : step,
      ),
    ),
  },
  "a decision that comes too early is kept": {
    store: recording((store, said) =>
      recordSeen(store, said, (step) => (step.processState === "waiting" ? opened(step) : step)),
    ),
  },
  "a decision about what is over is kept": {
    store: recording((store, said) =>
      recordSeen(store, said, (step) => (isOver(step) ? opened(step) : step)),
    ),
  },
  "a rejection is ignored": {
    store: recording((store, said) => {
      const stored = store.tasks.get(said.taskId);
      if (said.decision === "approve" || stored === undefined) return store.recordDecision(said);
      const forget = rememberWaits(stored);
      const outcome = store.recordDecision(said);
      const kept = stored.decisions.filter(({ decision }) => decision === "approve");
      stored.decisions.splice(0, stored.decisions.length, ...kept);
      forget();
      return outcome;
    }),
  },
  "a rejection counts as an approval": {
    store: recording((store, said) => store.recordDecision({ ...said, decision: "approve" })),
  },
  "who submitted a task approves it": {
    excluded: ([_submitter, ...others]) => others,
  },
  "who is excluded by a value approves": {
    excluded: (ids) => ids.slice(0, 1),
  },
  "one approval less than the quorum is enough": {
    domain: editPlans((plan) =>
      plan.kind === "approval" ? { ...plan, quorum: Math.max(1, plan.quorum - 1) } : plan,
    ),
  },
  "one approval more than the quorum is needed": {
    domain: editPlans((plan) =>
      plan.kind === "approval" ? { ...plan, quorum: plan.quorum + 1 } : plan,
    ),
  },
  "a decision is kept, and its wait not made due": {
    store: recording((store, said) => {
      const stored = store.tasks.get(said.taskId);
      const forget = stored === undefined ? () => {} : rememberWaits(stored);
      const outcome = store.recordDecision(said);
      forget();
      return outcome;
    }),
  },
  "what is decided is forgotten where its task cannot be decided about now": {
    store: (store) => ({
      ...store,
      fireWaits(round) {
        const decided = openApprovals(store).filter(({ stored, step }) =>
          stored.cameAts.has(step.plan.name),
        );
        const fired = store.fireWaits(round);
        for (const { stored, step } of decided) {
          const { name } = step.plan;
          if (!stored.waits.has(name) || stored.waits.get(name) === never) continue;
          if (stored.task.steps.get(name) !== step) continue;
          stored.waits.set(name, step.notBefore ?? never);
        }
        return fired;
      },
    }),
  },
  "what is decided while its task is held up is forgotten": {
    store: (store) => ({
      ...store,
      applyEvents(events, options) {
        const held = openApprovals(store).filter(
          ({ stored, step: { plan } }) =>
            stored.waits.get(plan.name) === never && stored.cameAts.has(plan.name),
        );
        const applied = store.applyEvents(events, options);
        for (const { stored, step } of held) {
          if (stored.waits.has(step.plan.name)) stored.waits.set(step.plan.name, never);
        }
        return applied;
      },
    }),
  },
  "a reminder ends a wait": {
    store: (store) => ({
      ...store,
      fireWaits(round) {
        const due = openApprovals(store).filter(
          ({ stored, step }) =>
            (stored.waits.get(step.plan.name) ?? never) < (step.notBefore ?? never) &&
            !stored.cameAts.has(step.plan.name),
        );
        const before = new Map(due.map(({ stored, step }) => [step, waitOf(stored, step)]));
        const fired = store.fireWaits(round);
        const reminded = due.filter(
          ({ stored, step }) => waitOf(stored, step) !== before.get(step),
        );
        const events = reminded.map(
          ({ stored, step }): ReportedTaskEvent => ({
            taskId: stored.task.taskId,
            event: { kind: "waitEnded", step: step.plan.name, by: "approval" },
          }),
        );
        if (events.length > 0) store.applyEvents(events, { actor: round.actor });
        return fired;
      },
    }),
  },
  "people are reminded of what they have decided": {
    store: (store) => ({
      ...store,
      fireWaits: (round) => firingUnaware(store, round, { areMeant: "in time" }),
    }),
  },
  "no one is reminded": {
    domain: editPlans((plan) => (plan.kind === "approval" ? { ...plan, remindAfter: null } : plan)),
  },
  "two decisions that race have two outcomes": {
    store: recording((store, said) => {
      const stored = store.tasks.get(said.taskId);
      if (stored === undefined) return store.recordDecision(said);
      // It has not seen what another transaction saved a moment ago.
      const since = nowOf(store) - unseenFor;
      const restore = hideDecisions(
        stored,
        ({ id, at }) => id !== said.actor && Date.parse(at) > since,
      );
      const outcome = store.recordDecision(said);
      restore();
      return outcome;
    }),
  },
  "what is decided is taken over by the deadline": {
    store: (store) => ({
      ...store,
      fireWaits: (round) => firingUnaware(store, round, { areMeant: "overdue" }),
    }),
  },
  "a deadline decides while its task is paused": {
    domain: endingAs("deadline", (task) => ({ ...task, paused: false })),
  },
  "a rejection takes effect while its task is paused": {
    domain: endingAs("rejection", (task) => ({ ...task, paused: false })),
  },
  "a rejection takes effect while its task is halted": {
    domain: endingAs("rejection", (task) =>
      task.processState === "halted" ? { ...task, processState: "processing" } : task,
    ),
  },
  "an operator approves": {
    domain: editEvents((event, task) =>
      event.kind === "waitEnded" && event.by === "operator" && isApproval(task, event.step)
        ? { ...event, by: "approval" }
        : event,
    ),
  },
  "an operator resolves what was rejected": {
    domain: (domain) => ({
      ...domain,
      foldEvents(task, reported, options) {
        const [first] = reported;
        if (first?.event.kind !== "resolved" || !isApproval(task, first.event.step)) {
          return domain.foldEvents(task, reported, options);
        }
        const { plan } = task.steps.get(first.event.step)!;
        const { name, after, onlyIf } = plan;
        const common = {
          name,
          after,
          onlyIf,
          onFailure: "undo",
          undo: null,
          undoes: null,
        } as const;
        const timer = { ...common, kind: "wait", time: { for: 0 } } as const;
        const folded = domain.foldEvents(withPlan(task, timer), reported, options);
        return { ...folded, task: withPlan(folded.task, plan) };
      },
    }),
  },
  "a deadline that approves rejects": {
    domain: editPlans((plan) =>
      plan.kind === "approval" && plan.onDeadline === "approve"
        ? { ...plan, onDeadline: "reject" }
        : plan,
    ),
  },
};

const never = Number.POSITIVE_INFINITY;
/** Milliseconds for which what another transaction saved is not seen. */
const unseenFor = 60;

/** Makes a store that keeps what people decide in another way. */
function recording(record: (store: MemoryStore, said: Said) => ReturnType<RecordDecision>) {
  return (store: MemoryStore): MemoryStore => ({
    ...store,
    recordDecision: (said) => record(store, said),
  });
}

/** Has the store keep a decision about a step that it sees as it is not. */
function recordSeen(store: MemoryStore, said: Said, see: (step: Step) => Step) {
  const stored = store.tasks.get(said.taskId);
  const step = stored?.task.steps.get(said.step);
  if (stored === undefined || step === undefined) return store.recordDecision(said);
  replaceStep(stored, see(step));
  const outcome = store.recordDecision(said);
  replaceStep(stored, step);
  return outcome;
}

const isOver = ({ processState }: Step): boolean =>
  ["processed", "error", "skipped", "cancelled"].includes(processState);

const opened = (step: Step): Step =>
  ({ ...step, processState: "awaiting", notBefore: null }) as Step;

/** The store's clock. */
const nowOf = (store: MemoryStore): number =>
  store.fireWaits({ actor: "", most: 0, expected: null }).now;

interface OpenApproval {
  readonly stored: StoredTask;
  readonly step: AwaitingStep;
}

const openApprovals = (store: MemoryStore): readonly OpenApproval[] =>
  [...store.tasks.values()].flatMap((stored) =>
    stepsOf(stored.task).flatMap((step) =>
      step.processState === "awaiting" && step.plan.kind === "approval" ? [{ stored, step }] : [],
    ),
  );

const waitOf = ({ waits }: StoredTask, { plan }: Step): number | undefined => waits.get(plan.name);

/** Takes some decisions away. Returns what gives them back, in their places. */
function hideDecisions(
  { decisions }: StoredTask,
  isMeant: (decision: StoredTask["decisions"][number]) => boolean,
): () => void {
  const all = [...decisions];
  decisions.splice(0, all.length, ...all.filter((one) => !isMeant(one)));
  return () => {
    const added = decisions.filter((one) => !all.includes(one));
    decisions.splice(0, decisions.length, ...all, ...added);
  };
}

/** Ends waits as if nothing were decided about those whose time is over, or about the others. */
function firingUnaware(
  store: MemoryStore,
  round: Round,
  { areMeant }: { readonly areMeant: "in time" | "overdue" },
) {
  const now = nowOf(store);
  const meant = openApprovals(store).filter(
    ({ step: { notBefore } }) =>
      (notBefore !== null && notBefore <= now) === (areMeant === "overdue"),
  );
  const restores = meant.map(({ stored, step }) =>
    hideDecisions(stored, (one) => one.step === step.plan.name),
  );
  const fired = store.fireWaits(round);
  for (const restore of restores.toReversed()) restore();
  return fired;
}

const isApproval = ({ steps }: Task, name: string): boolean =>
  steps.get(name)?.plan.kind === "approval";

const withPlan = (task: Task, plan: Step["plan"]): Task => {
  const step = { ...task.steps.get(plan.name), plan } as Step;
  return { ...task, steps: new Map(task.steps).set(plan.name, step) };
};

/** Has what ends approvals in that way decided on the task as it is not. */
function endingAs(by: "deadline" | "rejection", see: (task: Task) => Task) {
  return (domain: Domain): Domain => ({
    ...domain,
    foldEvents(task, reported, options) {
      const isMeant = reported.some(
        ({ event }) =>
          event.kind === "waitEnded" && event.by === by && isApproval(task, event.step),
      );
      if (!isMeant) return domain.foldEvents(task, reported, options);
      const seen = see(task);
      const folded = domain.foldEvents(seen, reported, options);
      const { paused } = task;
      return { ...folded, task: folded.task === seen ? task : { ...folded.task, paused } };
    },
  });
}
