import {
  type ApprovalDefinition,
  type ApprovalTerms,
  type CallDefinition,
  type Condition,
  type DefinitionFormat,
  isCall,
  type SignalDefinition,
  type SignalTerms,
  type StepDefinition,
  type StepPolicy,
  type Template,
  type UndoDefinition,
  type WaitDefinition,
  type WaitTime,
  type WorkflowDefinition,
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

export type StepKind = "call" | "undo" | "wait" | "signal" | "approval";

/** All of a step that its definition fixes and decisions need. Holds no payload. */
export type StepPlan = AgentPlan | WaitPlan;

/** A step that asks an Agent. */
export interface AgentPlan extends StepPolicy {
  readonly name: string;
  readonly kind: "call" | "undo";
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

/** A step that waits. Nothing is to be undone of it. */
export type WaitPlan = TimePlan | SignalPlan | ApprovalPlan;

interface PlanWithoutAgent extends Pick<AgentPlan, "name" | "after" | "onlyIf"> {
  readonly onFailure: StepPolicy["onFailure"];
  readonly undo: null;
  readonly undoes: null;
}

/** A step that waits for a time. */
export interface TimePlan extends PlanWithoutAgent {
  readonly kind: "wait";
  readonly time: WaitTime;
}

/** A step that waits for a signal. */
export interface SignalPlan extends PlanWithoutAgent, SignalTerms {
  readonly kind: "signal";
}

/** A step that waits for people. What they see is no part of it. */
export interface ApprovalPlan extends PlanWithoutAgent, ApprovalTerms {
  readonly kind: "approval";
}

/** A workflow definition, prepared for decisions: made once, shared by all its tasks. */
export interface WorkflowPlan {
  readonly name: string;
  /** The format that one must speak to decide about its tasks. */
  readonly format: DefinitionFormat;
  readonly steps: ReadonlyMap<string, StepPlan>;
  /** The steps that come after each step, directly or through others. */
  readonly downstream: ReadonlyMap<string, readonly string[]>;
}

/**
 * The name of the step that undoes `step`. `:` is reserved, so no author's name collides with it.
 */
export const undoNameOf = (step: string): string => `${step}:undo`;

/** What a value decides of a step: whether it is done, how long it waits, and who may end that. */
export interface Decisive {
  readonly onlyIf: Condition | null;
  readonly time?: WaitTime;
  readonly excludes?: readonly Template[];
}

/** Whether the step needs values of its task once the steps before it are done. */
export const needsValues = ({ onlyIf, time, excludes = [] }: Decisive): boolean =>
  onlyIf !== null || (time !== undefined && "until" in time) || excludes.length > 0;

/** Whether decisions about its tasks need their payloads. */
export function hasConditions({ steps }: WorkflowPlan): boolean {
  for (const plan of steps.values()) if (needsValues(plan)) return true;
  return false;
}

/** Whether its tasks have steps that wait. When those end follows from the clock of the store. */
export function hasWaits({ steps }: WorkflowPlan): boolean {
  for (const plan of steps.values()) if (!("agent" in plan)) return true;
  return false;
}

/** The steps that wait for signals of that name. */
export const stepsWaitingFor = ({ steps }: WorkflowPlan, signal: string): readonly SignalPlan[] =>
  [...steps.values()].filter(
    (plan): plan is SignalPlan => "signal" in plan && plan.signal === signal,
  );

/** Whether a workflow has to know who submits its tasks. */
export const needsSubmitter = ({ steps }: Pick<WorkflowDefinition, "steps">): boolean =>
  steps.some((step) => "excludesSubmitter" in step && step.excludesSubmitter);

/** Prepares a definition for decisions. Expects a valid one. */
export function planWorkflow(definition: WorkflowDefinition): WorkflowPlan {
  const { name, format } = definition;
  const written = definition.steps.map((step) => stepPlan(step, definition));
  const undos = written.filter(isUndoable).map(undoPlan);
  const steps = new Map<string, StepPlan>([...written, ...undos].map((plan) => [plan.name, plan]));
  return { name, format, steps, downstream: downstreamOf(written) };
}

function downstreamOf(written: readonly StepPlan[]): ReadonlyMap<string, readonly string[]> {
  const before = new Map<string, ReadonlySet<string>>();
  const allBefore = (name: string): ReadonlySet<string> => {
    const known = before.get(name);
    if (known !== undefined) return known;
    const direct = written.find((step) => step.name === name)?.after ?? [];
    const all = new Set([...direct, ...direct.flatMap((earlier) => [...allBefore(earlier)])]);
    before.set(name, all);
    return all;
  };
  return new Map(
    written.map(({ name }) => [
      name,
      written.filter((step) => allBefore(step.name).has(name)).map((step) => step.name),
    ]),
  );
}

const stepPlan = (step: StepDefinition, definition: WorkflowDefinition): StepPlan =>
  isCall(step) ? callPlan(step, definition) : { ...waitPlan(step), undo: null, undoes: null };

function waitPlan(step: WaitDefinition | SignalDefinition | ApprovalDefinition) {
  if ("signal" in step) return step;
  if ("audience" in step) {
    const { show: _payload, ...plan } = step;
    return plan;
  }
  const { kind, name, after, onlyIf, onFailure, ...time } = step;
  return { kind, name, after, onlyIf, onFailure, time };
}

function callPlan(
  { input: _payload, agents, kind: _absent, ...definition }: CallDefinition,
  { remotes }: Pick<WorkflowDefinition, "remotes">,
): AgentPlan {
  const pool = agents === undefined ? null : poolOf(agents, remotes);
  return { ...definition, pool, kind: "call", undoes: null };
}

const poolOf = (agents: readonly string[], remotes: WorkflowDefinition["remotes"]): Pool => ({
  name: poolName(agents),
  agents,
  // One that does not share them is enough.
  sharesKeys: agents.every((agent) => remotes?.[agent]?.sharesKeys === true),
});

function undoPlan(call: UndoablePlan): AgentPlan {
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

interface UndoablePlan extends AgentPlan {
  readonly undo: UndoDefinition;
}

const isUndoable = (plan: StepPlan): plan is UndoablePlan => plan.undo !== null;
