import { checkHere, refusedParts } from "@holdfast/contracts";
import {
  ContractFault,
  familyOf,
  type Instant,
  lookupIn,
  type Task,
  type WorkflowDefinition,
} from "@holdfast/domain";
import { type StepContracts, type StoredWorkflow, stepContracts } from "@holdfast/state-store";
import { enqueue } from "./due-order.ts";
import { keep, type StoredTask } from "./memory-task.ts";
import { drainMailbox, openTaskOf } from "./signals.ts";
import type { AtOnce, SimulatedStore } from "./simulated-store.ts";
import type { StoreState } from "./store-state.ts";
import type { BusinessKey } from "./stored-signals.ts";
import { addVersion, refusalOf } from "./versions.ts";

type Operations = AtOnce<SimulatedStore>;
type Submission = Parameters<Operations["submitTasks"]>[0][number];
type Submitted = ReturnType<Operations["submitTasks"]>[number];

const compiled = new WeakMap<WorkflowDefinition, StepContracts>();

/**
 * Compiled once for each definition, and not for each of thousands of stores that know it. They
 * count no steps: whether a schedule was the first to compile them must not change it.
 */
function contractsOf(definition: WorkflowDefinition): StepContracts {
  const contracts = compiled.get(definition) ?? {
    // In a thread time would pass that is not of the schedule.
    ...stepContracts(definition, null, checkHere),
    stepsTaken: () => 0,
  };
  compiled.set(definition, contracts);
  return contracts;
}

const judged = new WeakMap<WorkflowDefinition, ReturnType<typeof refusedParts>>();

/** Refuses what the store of a deployment refuses, judged once for each definition. */
function mustBeSound(definition: WorkflowDefinition): void {
  const parts = judged.get(definition) ?? refusedParts(definition);
  judged.set(definition, parts);
  const lines = parts.map(({ pointer, detail }) => `${definition.name}: ${pointer} ${detail}`);
  if (lines.length > 0) throw new ContractFault("workflow.invalid", lines.join("\n"));
}

/** Stores workflows, and the tasks that are submitted of them. */
export const submitting = (
  state: StoreState,
): Pick<Operations, "registerWorkflow" | "submitTasks"> => ({
  registerWorkflow(definition, { storedBy = null, activates = true } = {}) {
    const { workflows } = state;
    mustBeSound(definition);
    const plan = state.domain.planWorkflow(definition);
    const { name } = definition;
    const isNew = !workflows.has(name);
    workflows.set(name, { definition, plan, contracts: contractsOf(definition) });
    if (isNew) addVersion(state, { name, storedBy, activates });
    return isNew ? "created" : "same";
  },
  submitTasks: (asked, { actor }) =>
    asked.map(
      (one) => replayOf(state, one) ?? refused(state, one) ?? submitTask(state, one, actor),
    ),
});

/** The answer to a submission whose idempotency key was used before; null: it was not. */
function replayOf({ submissions }: StoreState, { idempotency }: Submission): Submitted | null {
  const earlier = idempotency === null ? undefined : submissions.get(idempotency.key);
  if (earlier === undefined) return null;
  return earlier.hash === idempotency?.hash
    ? { kind: "replayed", taskId: earlier.taskId }
    : { kind: "conflict" };
}

/**
 * The answer to a submission that makes no task, also because its version takes none; null: it
 * makes one.
 */
function refused(state: StoreState, asked: Submission): Submitted | null {
  const kind = refusalOf(state, asked) ?? (asked.onlyRepeats === true ? "conflict" : null);
  if (kind !== null) return { kind };
  const key = businessKeyOf(asked);
  const holder = key === null ? undefined : openTaskOf(state, key);
  return holder === undefined ? null : { kind: "held", taskId: holder.task.taskId };
}

const businessKeyOf = ({ tenant, workflow, key = null }: Submission): BusinessKey | null =>
  key === null ? null : { tenant, family: familyOf(workflow), key };

function submitTask(state: StoreState, asked: Submission, actor: string): Submitted {
  const { now, random } = state;
  const { workflow, input, idempotency } = asked;
  const { plan, definition } = workflowOf(state, workflow);
  const taskId = state.newId();
  const valueOf = lookupIn({ input, outputs: new Map() });
  const { task } = state.domain.submit(taskId, plan, { now: now(), random, valueOf });
  const stored = toStoredTask(asked, { task, definition, now: now() });
  state.tasks.set(taskId, stored);
  const handed = drainMailbox(state, stored, definition);
  for (const step of keep(stored, task, now())) enqueue(state, stored, step);
  if (idempotency !== null) {
    state.submissions.set(idempotency.key, { hash: idempotency.hash, taskId });
  }
  const ofTask = { taskId, step: null, attempt: null, actor, reason: null };
  state.history.push({ ...ofTask, action: "submit", from: null, to: task.processState });
  for (const watcher of state.watchers) {
    watcher.submitted(stored, definition);
    for (const signal of handed) watcher.signalled?.(stored, signal);
  }
  return { kind: "created", taskId };
}

export function workflowOf({ workflows }: StoreState, name: string): StoredWorkflow {
  const workflow = workflows.get(name);
  if (workflow !== undefined) return workflow;
  throw new ContractFault("workflow.unknown", `No workflow named ${name} is stored`);
}

interface Planned {
  readonly task: Task;
  readonly definition: WorkflowDefinition;
  readonly now: Instant;
}

/** A row for the task, without its steps. */
const toStoredTask = (
  asked: Submission,
  { task, definition: { completeWithin }, now }: Planned,
): StoredTask => ({
  task: { ...task, steps: new Map() },
  version: 0,
  priority: asked.priority,
  fairness: asked.fairness,
  input: asked.input,
  completeBy: completeWithin === null ? null : now + completeWithin,
  pausedAt: null,
  createdAt: now,
  updatedAt: now,
  ranks: new Map(),
  resendAts: new Map(),
  signs: new Map(),
  waits: new Map(),
  cameAts: new Map(),
  outputs: new Map(),
  correctedInputs: new Map(),
  businessKey: businessKeyOf(asked),
  submittedBy: asked.submittedBy ?? null,
  signals: [],
  decisions: [],
});
