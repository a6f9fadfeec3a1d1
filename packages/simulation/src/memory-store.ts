import {
  type Change,
  ContractFault,
  constant,
  foldEvents,
  hasConditions,
  type Instant,
  isFinished,
  type Json,
  lookupIn,
  type ProcessingStep,
  planWorkflow,
  type Step,
  stepsOf,
  submit,
  type Task,
  type TaskEvent,
  type TaskValues,
  type WorkflowDefinition,
  type WorkflowPlan,
} from "@holdfast/domain";
import type { SchedulerStore } from "@holdfast/scheduler-service";
import {
  type ClaimedStep,
  type ClaimOptions,
  type Incident,
  type IncidentOutcome,
  roomFor,
  type StateStore,
  type StoredWorkflow,
} from "@holdfast/state-store";
import type { SupervisorStore } from "@holdfast/supervisor-service";
import { memoryPauses } from "./memory-pauses.ts";
import { keep, type Move, movesOf, rankOf, replaceStep, type StoredTask } from "./memory-task.ts";

/** What of the state store the loops and their clients use. */
export type SimulatedStore = SchedulerStore &
  SupervisorStore &
  Pick<StateStore, "submitTasks" | "registerWorkflow" | "pause" | "resume">;

/** The same operations, each over at once. */
export type AtOnce<Store> = {
  readonly [Name in keyof Store]: Store[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result
    : never;
};

/** What of the domain a store asks for. */
export interface Domain {
  readonly foldEvents: typeof foldEvents;
  readonly submit: typeof submit;
  readonly planWorkflow: typeof planWorkflow;
}

const plans = new WeakMap<WorkflowDefinition, WorkflowPlan>();

/** The domain as it is. Plans are kept: they never change, and thousands of stores ask for them. */
export const realDomain: Domain = {
  foldEvents,
  submit,
  planWorkflow(definition) {
    const plan = plans.get(definition) ?? planWorkflow(definition);
    plans.set(definition, plan);
    return plan;
  },
};

/** Sees what the store saves, in its order. */
export interface StoreWatcher {
  submitted(stored: StoredTask, definition: WorkflowDefinition): void;
  claimed(stored: StoredTask, step: ProcessingStep): void;
  marked(stored: StoredTask, step: ProcessingStep): void;
  relayed(stored: StoredTask, step: ProcessingStep): void;
  decided(stored: StoredTask, reports: readonly Report[]): void;
}

/** An incident and the moves that it led to. */
interface Report {
  readonly incident: Incident;
  readonly changes: readonly Change[];
}

export interface MemoryStoreOptions {
  /** Milliseconds since 1970: the store's clock. */
  readonly now: () => Instant;
  /** In [0, 1), for jitter. */
  readonly random: () => number;
  readonly newId: () => string;
  /** Whether a row happens to be in other hands, for operations that do not wait. */
  readonly isLocked?: () => boolean;
  readonly domain?: Domain;
  readonly watchers?: readonly StoreWatcher[];
}

export interface MemoryStore extends AtOnce<SimulatedStore> {
  readonly tasks: ReadonlyMap<string, StoredTask>;
  readonly history: readonly Move[];
}

const claimLimit = 500;
const takeLimit = 200;
const nothing: TaskValues = { input: null, outputs: new Map() };
const unknownTask = { applied: false, reason: "unknown_task" } as const;
const versionChanged = { applied: false, reason: "version_changed" } as const;

/**
 * The state store without Postgres: the same operations over maps, each of them atomic because nothing
 * else runs meanwhile. What it decides, it has the domain decide. Kept equal to the real one by
 * `memory-store.integration.test.ts`.
 */
export function memoryStore(options: MemoryStoreOptions): MemoryStore {
  const {
    now,
    random,
    newId,
    isLocked = () => false,
    domain = realDomain,
    watchers = [],
  } = options;
  const workflows = new Map<string, StoredWorkflow>();
  const tasks = new Map<string, StoredTask>();
  const submissions = new Map<string, { readonly hash: string; readonly taskId: string }>();
  const history: Move[] = [];
  const pauses = memoryPauses(now);

  const processing = (): (readonly [StoredTask, ProcessingStep])[] => {
    const found: (readonly [StoredTask, ProcessingStep])[] = [];
    for (const stored of tasks.values()) {
      for (const step of stored.task.steps.values()) {
        if (step.processState === "processing") found.push([stored, step]);
      }
    }
    return found;
  };

  const workflowOf = (name: string): StoredWorkflow => {
    const workflow = workflows.get(name);
    if (workflow !== undefined) return workflow;
    throw new ContractFault("workflow.unknown", `No workflow named ${name} is stored`);
  };

  const claimOne = (
    stored: StoredTask,
    name: string,
    { lockedBy, relayAfter }: ClaimOptions,
  ): ClaimedStep => {
    const at = now();
    const step = stored.task.steps.get(name) as Step;
    const startBy = at + step.plan.startWithin;
    const claimed: ProcessingStep = {
      ...constant(step),
      processState: "processing",
      attempt: step.attempt + 1,
      lockedBy,
      token: newId(),
      startBy,
      completeBy: startBy + step.plan.completeWithin,
      dispatched: false,
      relayed: false,
    };
    stored.ranks.delete(name);
    stored.relayAts.set(name, at + relayAfter);
    replaceStep(stored, claimed);
    history.push({
      taskId: stored.task.taskId,
      step: name,
      action: "claim",
      from: "pending",
      to: "processing",
      attempt: claimed.attempt,
      actor: lockedBy,
      reason: null,
    });
    for (const watcher of watchers) watcher.claimed(stored, claimed);
    return toClaim(stored, claimed);
  };

  const toClaim = (stored: StoredTask, step: ProcessingStep): ClaimedStep => ({
    taskId: stored.task.taskId,
    name: step.plan.name,
    lane: step.plan.agent,
    workflow: stored.task.workflow.name,
    attempt: step.attempt,
    token: step.token,
    startBy: step.startBy,
    completeBy: step.completeBy,
    keyGeneration: step.keyGeneration,
    taskInput: step.attempt === 1 ? stored.input : null,
    now: now(),
  });

  const begin = (stored: StoredTask, actor: string): void => {
    const { task } = stored;
    if (task.processState !== "pending") return;
    stored.task = { ...task, processState: "processing" };
    stored.version += 1;
    stored.updatedAt = now();
    const ofTask = { taskId: task.taskId, step: null, attempt: null, actor, reason: null };
    history.push({ ...ofTask, action: "summarise", from: "pending", to: "processing" });
  };

  const claimDueSteps = (asked: ClaimOptions): ClaimedStep[] => {
    const picked = asked.room.flatMap(({ lane, places }) => {
      if (pauses.isPaused({ kind: "agent", name: lane })) return [];
      const due: { stored: StoredTask; name: string; rank: number }[] = [];
      for (const stored of tasks.values()) {
        if (pauses.isPaused({ kind: "workflow", name: stored.task.workflow.name })) continue;
        for (const [name, rank] of stored.ranks) {
          if (stored.task.steps.get(name)?.plan.agent === lane && !isLocked()) {
            due.push({ stored, name, rank });
          }
        }
      }
      return due.toSorted((a, b) => a.rank - b.rank).slice(0, places);
    });
    const taken = picked.slice(0, claimLimit);
    const claims = taken.map(({ stored, name }) => claimOne(stored, name, asked));
    for (const stored of new Set(taken.map((one) => one.stored))) begin(stored, asked.lockedBy);
    return claims;
  };

  /** The pending steps of some workflows, with their tasks. */
  const pendingOf = (isOfThese: (workflow: string) => boolean) =>
    [...tasks.values()]
      .filter(({ task }) => isOfThese(task.workflow.name))
      .flatMap((stored) =>
        stepsOf(stored.task).flatMap((step) =>
          step.processState === "pending" ? [{ stored, step, name: step.plan.name }] : [],
        ),
      );

  const setPausedStepsAside = (): number => {
    const due = pendingOf((name) => pauses.isPaused({ kind: "workflow", name })).filter(
      ({ stored, name }) => stored.ranks.has(name) && !isLocked(),
    );
    for (const { stored, step, name } of due) {
      stored.ranks.delete(name);
      replaceStep(stored, { ...step, notBefore: setAside });
    }
    return due.length;
  };

  const releaseResumedSteps = (): number => {
    const resumed = pauses.resumedWorkflows();
    const released = pendingOf((name) => resumed.has(name)).filter(
      ({ stored, step, name }) => !stored.ranks.has(name) && step.notBefore === setAside,
    );
    for (const { stored, step, name } of released) {
      stored.ranks.set(name, now());
      replaceStep(stored, { ...step, notBefore: now() });
    }
    if (released.length === 0) pauses.release(resumed);
    return released.length;
  };

  const decideOne = (
    stored: StoredTask,
    mine: readonly Incident[],
    actor: string,
  ): readonly IncidentOutcome[] => {
    const before = stored.task;
    const values = valuesFor(stored, mine);
    const folded = domain.foldEvents(before, mine, { now: now(), random, values });
    const applied = mine.filter((_, index) => folded.outcomes[index]?.applied);
    for (const incident of applied) keepPayloads(stored, incident);
    if (folded.task === before) return folded.outcomes;
    const acts = applied.flatMap(({ event }) => actOf(event));
    keep(stored, folded.task, now());
    history.push(...movesOf({ before, after: folded.task, changes: folded.changes, acts, actor }));
    const reports = reportsOf(mine, folded);
    for (const watcher of watchers) watcher.decided(stored, reports);
    return folded.outcomes;
  };

  const store: AtOnce<SimulatedStore> = {
    claimDueSteps,

    applyIncidents(incidents, { actor, skipLocked = false, claim }) {
      const outcomes = new Map<Incident, IncidentOutcome>();
      const decided: Task[] = [];
      const needless: ReturnType<typeof needlessAttempts>[] = [];
      const madeDue: { readonly lane: string }[] = [];
      const byTask = Map.groupBy(incidents, ({ taskId }) => taskId);
      for (const taskId of [...byTask.keys()].toSorted()) {
        const stored = tasks.get(taskId);
        if (stored === undefined || (skipLocked && isLocked())) continue;
        const mine: Incident[] = [];
        for (const incident of byTask.get(taskId) ?? []) {
          const { expectedVersion = stored.version } = incident;
          if (expectedVersion === stored.version) mine.push(incident);
          else outcomes.set(incident, versionChanged);
        }
        const { goal } = stored.task;
        const ranks = new Map(stored.ranks);
        const mineOutcomes = decideOne(stored, mine, actor);
        mine.forEach((incident, index) => {
          outcomes.set(incident, mineOutcomes[index] as IncidentOutcome);
        });
        decided.push(stored.task);
        for (const [name, rank] of stored.ranks) {
          const lane = stored.task.steps.get(name)?.plan.agent ?? "";
          if (ranks.get(name) !== rank) madeDue.push({ lane });
        }
        if (goal !== stored.task.goal) needless.push(needlessAttempts(stored.task));
      }
      const room = madeDue.length === 0 ? [] : roomFor(claim?.room ?? [], madeDue);
      return {
        outcomes: incidents.map((incident) => outcomes.get(incident) ?? unknownTask),
        tasks: decided,
        claims: claim === undefined || room.length === 0 ? null : claimDueSteps({ ...claim, room }),
        needless: needless.flat(),
        told: false,
      };
    },

    takeUndispatchedSteps({ relayAfter }) {
      const late = processing()
        .filter(([stored, step]) => {
          const relayAt = stored.relayAts.get(step.plan.name);
          return relayAt !== undefined && relayAt <= now() && !isLocked();
        })
        .slice(0, takeLimit);
      for (const [stored, step] of late) {
        const { startBy, completeBy } = step;
        const isTooLate = startBy <= now() && completeBy > now();
        stored.relayAts.set(step.plan.name, isTooLate ? completeBy : now() + relayAfter);
        replaceStep(stored, { ...step, relayed: true });
        for (const watcher of watchers) watcher.relayed(stored, step);
      }
      return late.map(([stored, step]) => toClaim(stored, step));
    },

    markDispatchedSteps(steps) {
      for (const { taskId, name, attempt } of steps) {
        const stored = tasks.get(taskId);
        const step = stored?.task.steps.get(name);
        if (stored === undefined || step?.processState !== "processing") continue;
        if (step.attempt !== attempt || step.dispatched || isLocked()) continue;
        stored.relayAts.delete(name);
        replaceStep(stored, { ...step, dispatched: true });
        for (const watcher of watchers) watcher.marked(stored, step);
      }
    },

    undispatchSteps() {
      const begun = processing().filter(([, { startBy }]) => startBy > now());
      for (const [stored, step] of begun) {
        replaceStep(stored, { ...step, dispatched: false });
        stored.relayAts.set(step.plan.name, now());
      }
      return begun.length;
    },

    promoteRestedSteps() {
      const lanes = new Set<string>();
      const rests: number[] = [];
      const relays: number[] = [];
      for (const stored of tasks.values()) {
        relays.push(...stored.relayAts.values());
        for (const step of stored.task.steps.values()) {
          if (step.processState !== "pending" || stored.ranks.has(step.plan.name)) continue;
          if (step.notBefore > now()) {
            if (step.notBefore !== setAside) rests.push(step.notBefore - now());
          } else if (!isLocked()) {
            stored.ranks.set(step.plan.name, rankOf(stored, step));
            lanes.add(step.plan.agent);
          }
        }
      }
      return {
        lanes: [...lanes],
        nextIn: least(rests),
        relayIn: least(relays.map((at) => at - now())),
        hasDue: [...tasks.values()].some(({ ranks }) => ranks.size > 0),
        hasNotices: false,
        hasPauses: pauses.unreleasedWorkflows().size > 0,
      };
    },

    countStepsInFlight: ({ lockedBy }) =>
      [...Map.groupBy(processing(), ([, step]) => step.plan.agent)].map(([lane, steps]) => ({
        lane,
        inFlight: steps.length,
        own: steps.filter(([, step]) => step.lockedBy === lockedBy).length,
      })),

    findLanes: () => [
      ...new Set(
        [...workflows.values()].flatMap(({ definition }) =>
          definition.steps.map(({ agent }) => agent),
        ),
      ),
    ],

    findWorkflow: (name) => workflows.get(name) ?? null,

    loadValues(refs) {
      const byTask = Map.groupBy(refs, ({ taskId }) => taskId);
      return new Map(
        [...byTask].map(([taskId, asked]) => {
          const stored = tasks.get(taskId);
          const names = asked.flatMap(({ name }) => (name === null ? [] : [name]));
          const corrected = names.filter((name) => stored?.correctedInputs.has(name));
          return [
            taskId,
            {
              input: asked.some(({ name }) => name === null) ? (stored?.input ?? null) : null,
              outputs: new Map(names.map((name) => [name, stored?.outputs.get(name) ?? null])),
              problem: null,
              correctedInputs: new Map(
                corrected.map((name) => [name, stored?.correctedInputs.get(name) ?? null]),
              ),
            },
          ];
        }),
      );
    },

    loadCalls: ({ taskIds }) =>
      taskIds.flatMap((taskId) =>
        [...(tasks.get(taskId)?.task.steps.values() ?? [])].flatMap(
          ({ plan, processState, keyGeneration }) =>
            plan.kind === "call" ? [{ taskId, name: plan.name, processState, keyGeneration }] : [],
        ),
      ),

    findExpired({ batch }) {
      const steps = processing();
      const overdue = steps
        .filter(([, { completeBy }]) => completeBy <= now())
        .toSorted(([, a], [, b]) => a.completeBy - b.completeBy);
      const limited = [...tasks.values()].filter(
        (stored) =>
          stored.completeBy !== null &&
          stored.completeBy + pauses.heldFor(stored) <= now() &&
          !isFinished(stored.task) &&
          !stored.task.paused &&
          stored.task.goal === "do",
      );
      const ahead = steps.flatMap(([, { completeBy }]) =>
        completeBy > now() ? [completeBy - now()] : [],
      );
      return {
        steps: overdue.slice(0, batch).map(([{ task }, { plan, attempt, token, completeBy }]) => {
          const { startWithin, completeWithin } = plan;
          const times = { overdue: now() - completeBy, lasted: startWithin + completeWithin };
          return { taskId: task.taskId, step: plan.name, attempt, token, ...times };
        }),
        taskIds: limited
          .toSorted((a, b) => (a.completeBy ?? 0) - (b.completeBy ?? 0))
          .slice(0, batch)
          .map(({ task }) => task.taskId),
        nextIn: least(ahead),
      };
    },

    /** Looks at all tasks at once: no schedule has as many as one look takes. */
    findStalledTasks: ({ untouchedFor }) => ({
      taskIds: [...tasks.values()]
        .filter(
          ({ task, updatedAt }) =>
            !isFinished(task) &&
            task.processState !== "error" &&
            !task.paused &&
            !pauses.unreleasedWorkflows().has(task.workflow.name) &&
            updatedAt < now() - untouchedFor &&
            (!stepsOf(task).some((step) => isMoving(step, now())) ||
              stepsOf(task).some((step) => isOverlong(step, now()))),
        )
        .map(({ task }) => task.taskId),
      next: null,
    }),

    keepPauses: () => setPausedStepsAside() + releaseResumedSteps(),
    pause: (wish) => pauses.pause(wish),
    resume: (wish) => pauses.resume(wish),

    keepRejectedReplies: () => {},
    keepDeadLetters: () => {},
    // Notifications and heartbeats are not simulated.
    takeNotices: () => [],
    deleteNotices: () => {},
    deleteStaleNotices: () => 0,
    keepHeartbeats: () => {},

    registerWorkflow(definition) {
      const plan = domain.planWorkflow(definition);
      workflows.set(definition.name, { definition, plan, contract: () => null });
    },

    submitTasks: (asked, { actor }) =>
      asked.map(({ workflow: name, input, priority, idempotency }) => {
        const earlier = idempotency === null ? undefined : submissions.get(idempotency.key);
        if (earlier !== undefined) {
          return earlier.hash === idempotency?.hash
            ? { kind: "replayed", taskId: earlier.taskId }
            : { kind: "conflict" };
        }
        const { plan, definition } = workflowOf(name);
        const taskId = newId();
        const valueOf = lookupIn({ input, outputs: new Map() });
        const { task } = domain.submit(taskId, plan, { now: now(), random, valueOf });
        const { completeWithin } = definition;
        const stored: StoredTask = {
          task: { ...task, steps: new Map() },
          version: 0,
          priority,
          input,
          completeBy: completeWithin === null ? null : now() + completeWithin,
          pausedAt: null,
          createdAt: now(),
          updatedAt: now(),
          ranks: new Map(),
          relayAts: new Map(),
          outputs: new Map(),
          correctedInputs: new Map(),
        };
        keep(stored, task, now());
        tasks.set(taskId, stored);
        if (idempotency !== null) {
          submissions.set(idempotency.key, { hash: idempotency.hash, taskId });
        }
        const ofTask = { taskId, step: null, attempt: null, actor, reason: null };
        history.push({ ...ofTask, action: "submit", from: null, to: task.processState });
        for (const watcher of watchers) watcher.submitted(stored, definition);
        return { kind: "created", taskId };
      }),
  };
  return { ...store, tasks, history };
}

/** Conditions are looked at only when something is done; without payloads they are left alone. */
function valuesFor(stored: StoredTask, incidents: readonly Incident[]): TaskValues | null {
  if (!hasConditions(stored.task.workflow)) return nothing;
  if (!incidents.some(makesDone)) return null;
  const names = [...stored.task.steps.keys()];
  const outputs = names.map((name) => [name, stored.outputs.get(name) ?? null] as const);
  return { input: stored.input, outputs: new Map<string, Json>(outputs) };
}

function keepPayloads(stored: StoredTask, { event, output, correctedInput }: Incident): void {
  if (!("step" in event)) return;
  if (output !== undefined) stored.outputs.set(event.step, output);
  if (correctedInput !== undefined) stored.correctedInputs.set(event.step, correctedInput);
}

const makesDone = ({ event }: Incident): boolean =>
  event.kind === "completed" || event.kind === "resolved";

const hour = 3_600_000;
/** `not_before` of a step that waits for its workflow to be resumed. */
const setAside = Number.POSITIVE_INFINITY;

const isMoving = (step: Step, now: Instant): boolean =>
  step.processState === "processing" ||
  (step.processState === "pending" && step.notBefore <= now + hour);

const isOverlong = (step: Step, now: Instant): boolean =>
  step.processState === "pending" && step.notBefore > now + hour;

const least = (numbers: readonly number[]): number | null =>
  numbers.length === 0 ? null : Math.min(...numbers);

const taskActs: Partial<Readonly<Record<TaskEvent["kind"], string>>> = {
  undoRequested: "undo",
  limitPassed: "undo",
  paused: "pause",
  resumed: "resume",
};

function actOf(event: TaskEvent): readonly { action: string; reason: string | null }[] {
  const action = taskActs[event.kind];
  if (action !== undefined && event.kind === "limitPassed") {
    return [{ action, reason: "task.expired" }];
  }
  return action === undefined ? [] : [{ action, reason: "code" in event ? event.code : null }];
}

const needlessAttempts = (task: Task) =>
  stepsOf(task).flatMap((step) =>
    step.processState === "processing"
      ? [{ taskId: task.taskId, step: step.plan.name, attempt: step.attempt, token: step.token }]
      : [],
  );

/** Which incident led to which moves. */
const reportsOf = (
  incidents: readonly Incident[],
  { outcomes }: ReturnType<typeof foldEvents>,
): readonly Report[] =>
  incidents.map((incident, index) => {
    const outcome = outcomes[index];
    return { incident, changes: outcome?.applied ? outcome.changes : [] };
  });
