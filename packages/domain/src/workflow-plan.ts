import type {
  Condition,
  StepDefinition,
  StepPolicy,
  UndoDefinition,
  WorkflowDefinition,
} from "./workflow-definition.ts";

/** Agents of one remote service, any of which may take a step. */
export interface Pool {
  /** What its steps wait for: the lane of the pool. */
  readonly name: string;
  readonly agents: readonly string[];
  /** Whether the remote service knows a key whichever of them sends it. */
  readonly sharesKeys: boolean;
}

/** The sign between the names of a pool's Agents: no name has it. */
const separator = "+";

/** The lane in which the steps of a pool wait for any of its Agents. */
export const poolName = (agents: readonly string[]): string => agents.join(separator);

/**
 * The Agents that may take the steps of a lane: those of its pool, or the one that it is named
 * after.
 */
export const agentsOfLane = (lane: string): readonly string[] => lane.split(separator);

export type StepKind = "call" | "undo";

/** All of a step that its definition fixes and decisions need. Holds no payload. */
export interface StepPlan extends StepPolicy {
  readonly name: string;
  readonly kind: StepKind;
  readonly agent: string;
  /**
   * The Agents that it may be given to, of which `agent` is the first; null: there is no choice.
   */
  readonly pool: Pool | null;
  readonly operation: string;
  readonly after: readonly string[];
  readonly onlyIf: Condition | null;
  /** The requeues that a call may have: see `StepDefinition`. */
  readonly maxRequeues?: number;
  /** The undo of a call, if it can be undone. */
  readonly undo: UndoDefinition | null;
  /** The name of the call that an undo undoes. */
  readonly undoes: string | null;
}

/** A workflow definition, prepared for decisions: made once, shared by all its tasks. */
export interface WorkflowPlan {
  readonly name: string;
  readonly steps: ReadonlyMap<string, StepPlan>;
  /** The calls that come after each call, directly or through others. */
  readonly downstream: ReadonlyMap<string, readonly string[]>;
}

/**
 * The name of the step that undoes `step`. `:` is reserved, so no author's name collides with it.
 */
export const undoNameOf = (step: string): string => `${step}:undo`;

/** Whether decisions about its tasks need their payloads. */
export function hasConditions({ steps }: WorkflowPlan): boolean {
  for (const { onlyIf } of steps.values()) if (onlyIf !== null) return true;
  return false;
}

/** Prepares a definition for decisions. Expects a valid one. */
export function planWorkflow(definition: WorkflowDefinition): WorkflowPlan {
  const calls = definition.steps.map((step) => callPlan(step, definition));
  const undos = calls.filter(isUndoable).map(undoPlan);
  const steps = new Map([...calls, ...undos].map((plan) => [plan.name, plan]));
  return { name: definition.name, steps, downstream: downstreamOf(calls) };
}

function downstreamOf(calls: readonly StepPlan[]): ReadonlyMap<string, readonly string[]> {
  const before = new Map<string, ReadonlySet<string>>();
  const allBefore = (name: string): ReadonlySet<string> => {
    const known = before.get(name);
    if (known !== undefined) return known;
    const direct = calls.find((call) => call.name === name)?.after ?? [];
    const all = new Set([...direct, ...direct.flatMap((earlier) => [...allBefore(earlier)])]);
    before.set(name, all);
    return all;
  };
  return new Map(
    calls.map(({ name }) => [
      name,
      calls.filter((call) => allBefore(call.name).has(name)).map((call) => call.name),
    ]),
  );
}

function callPlan(
  { input: _payload, agents, ...definition }: StepDefinition,
  { remotes }: Pick<WorkflowDefinition, "remotes">,
): StepPlan {
  const pool = agents === undefined ? null : poolOf(agents, remotes);
  return { ...definition, pool, kind: "call", undoes: null };
}

const poolOf = (agents: readonly string[], remotes: WorkflowDefinition["remotes"]): Pool => ({
  name: poolName(agents),
  agents,
  // One that does not share them is enough.
  sharesKeys: agents.every((agent) => remotes?.[agent]?.sharesKeys === true),
});

function undoPlan(call: StepPlan & { readonly undo: UndoDefinition }): StepPlan {
  return {
    ...call.undo,
    name: undoNameOf(call.name),
    kind: "undo",
    agent: call.agent,
    pool: call.pool,
    after: [],
    onlyIf: null,
    undo: null,
    undoes: call.name,
  };
}

const isUndoable = (plan: StepPlan): plan is StepPlan & { readonly undo: UndoDefinition } =>
  plan.undo !== null;
