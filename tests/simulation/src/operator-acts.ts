import { idempotencyKey, isFinished, type Json, type Step, stepsOf } from "@holdfast/domain";
import type { PauseTarget, ReportedTaskEvent } from "@holdfast/state-store";
import {
  type AtOnce,
  epoch,
  type MemoryStore,
  type SimulatedStore,
  type StoredTask,
} from "@holdfast/testing/simulator";
import { type Facts, isSkipped, nameOf } from "./facts.ts";
import type { FaultKind } from "./faults.ts";
import type { OperatorJudge } from "./judge-operators.ts";
import { outputIdOf, type RemoteService } from "./remote.ts";
import { sourceOf } from "./workflows.ts";
import type { World } from "./world.ts";

interface Options {
  readonly memory: MemoryStore;
  /** The same, as the mutant that is tried has it. */
  readonly store: AtOnce<SimulatedStore>;
  readonly service: RemoteService;
  readonly judge: OperatorJudge;
  readonly facts: Facts;
}

/** What an operator does, each checked against the version that he has seen. */
export type OperatorActs = ReturnType<typeof operatorActs>;

/** Milliseconds between two rounds. */
const rest = 90;
const agents = ["left", "right"];

const keyOf = ({ kind, name }: PauseTarget): string => `${kind} ${name}`;

/** What operators can do to tasks, Agents and workflows, with the judge told of what they were answered. */
export function operatorActs(world: World, { memory, store, service, judge, facts }: Options) {
  const act = { actor: "operator" };
  const paused = new Map<string, PauseTarget>();

  const apply = (
    { task, version }: StoredTask,
    reportedEvent: Omit<ReportedTaskEvent, "taskId">,
  ): boolean => {
    const { taskId } = task;
    world.tell("operator", () => `${reportedEvent.event.kind}: ${nameOf(taskId)}`);
    const wish = { ...reportedEvent, taskId, expectedVersion: version };
    return store.applyEvents([wish], act).outcomes[0]?.applied === true;
  };

  const pauseTask = (stored: StoredTask): void => {
    if (apply(stored, { event: { kind: "paused" } })) judge.taskPaused(stored.task.taskId);
  };
  const resumeTask = (stored: StoredTask): void => {
    if (apply(stored, { event: { kind: "resumed" } })) judge.taskResumed(stored.task.taskId);
  };
  const undo = (stored: StoredTask): void => {
    apply(stored, { event: { kind: "undoRequested", code: "operator.undo" } });
  };

  const pauseTarget = (target: PauseTarget): void => {
    world.tell("operator", () => `pauses ${keyOf(target)}`);
    if (!store.pause({ ...target, actor: "operator", reason: "stock-taking" })) return;
    paused.set(keyOf(target), target);
    judge.targetPaused(target);
  };
  const resumeTarget = (target: PauseTarget): void => {
    world.tell("operator", () => `resumes ${keyOf(target)}`);
    store.resume({ ...target, actor: "operator", reason: "all counted" });
    paused.delete(keyOf(target));
    judge.targetResumed(target);
  };

  const retry = (stored: StoredTask, { plan: { name: step } }: Step): void => {
    if (!apply(stored, { event: { kind: "retryRequested", step } })) return;
    if (stored.ranks.has(step)) return;
    world.accuse("a step that an operator retries is due at once", () =>
      nameOf(stored.task.taskId, step),
    );
  };

  /** What the workflow puts into the step, which an operator may put there by hand as well. */
  const inputOf = ({ task, input }: StoredTask, name: string) => {
    const known = facts.tasks.get(task.taskId);
    const definition = known?.steps.get(name)?.definition;
    const source = definition === undefined ? null : sourceOf(definition);
    const before = source === null ? undefined : known?.steps.get(source);
    const isMissing =
      source === null || before === undefined || !known || isSkipped(known, before.definition);
    const { order } = input as { readonly order: string };
    return { order, from: isMissing ? null : outputIdOf({ taskId: task.taskId, step: source }) };
  };

  const resubmit = (stored: StoredTask, { plan, attempt }: Step, isCorrected: boolean): void => {
    const inputChanged = isCorrected && plan.kind === "call";
    apply(stored, {
      event: { kind: "resubmitted", step: plan.name, attempt, inputChanged },
      ...(inputChanged ? { correctedInput: inputOf(stored, plan.name) } : {}),
    });
  };

  /** Does it by hand at the remote service, under the key of the step, and says so. */
  const resolve = (stored: StoredTask, { plan, attempt }: Step): void => {
    const { taskId, steps } = stored.task;
    const call = plan.undoes ?? plan.name;
    const generation = steps.get(call)?.keyGeneration ?? 0;
    const key = idempotencyKey(taskId, { name: call, undoes: null }, generation);
    const caller = { taskId, step: call };
    let output: Json = null;
    try {
      if (plan.undoes !== null) service.undo(key, caller);
      else {
        const { from } = inputOf(stored, call);
        output = { ...service.perform(key, { caller, from, declines: () => false }) };
      }
    } catch {
      // The service refuses it for good, also to a person.
      return;
    }
    apply(stored, { event: { kind: "resolved", step: plan.name, attempt }, output });
  };

  const unfinished = (): readonly StoredTask[] =>
    [...memory.tasks.values()].filter(({ task }) => !isFinished(task));

  const delayed = ({ task }: StoredTask, longerThan: number): Step | undefined =>
    stepsOf(task).find(
      (step) =>
        step.processState === "pending" && step.notBefore > epoch + world.timeline.now + longerThan,
    );

  return {
    pauseTask,
    resumeTask,
    undo,
    resumeTargets: () => [...paused.values()].forEach(resumeTarget),
    retry,
    resubmit,
    resolve,
    unfinished,
    delayed,
    toggle: (target: PauseTarget) =>
      paused.has(keyOf(target)) ? resumeTarget(target) : pauseTarget(target),
  };
}

/** The steps of a halted task that an operator may resubmit or resolve. */
export const failedOf = ({ task }: StoredTask): readonly Step[] =>
  stepsOf(task).filter(
    ({ processState, plan }) =>
      processState === "error" && (plan.kind === "call") === (task.goal === "do"),
  );

/** Operators act at any point of a task's life, until the healing. */
export function unleashOperators(world: World, acts: OperatorActs): void {
  const { random, timeline } = world;
  const on = (kind: FaultKind, choose: (stored: StoredTask) => (() => void) | null): void => {
    const able = acts.unfinished().flatMap((stored) => choose(stored) ?? []);
    if (able.length > 0 && world.strikes(kind)) random.pick(able)();
  };
  const withFailed = (stored: StoredTask, move: (step: Step) => void) => {
    const failed = failedOf(stored);
    return failed.length === 0 ? null : () => move(random.pick(failed));
  };

  const round = (): void => {
    if (world.healedAt !== null) return;
    on("undoRequested", (stored) => () => acts.undo(stored));
    on("taskPaused", (stored) => (stored.task.paused ? null : () => acts.pauseTask(stored)));
    on("taskResumed", (stored) => (stored.task.paused ? () => acts.resumeTask(stored) : null));
    on("stepRetried", (stored) => {
      const step = acts.delayed(stored, 0);
      return step === undefined ? null : () => acts.retry(stored, step);
    });
    on("stepResubmitted", (stored) =>
      withFailed(stored, (step) => acts.resubmit(stored, step, random.chance(0.5))),
    );
    on("stepResolved", (stored) => withFailed(stored, (step) => acts.resolve(stored, step)));
    if (world.strikes("agentPaused")) acts.toggle({ kind: "agent", name: random.pick(agents) });
    on("workflowPaused", ({ task }) => () => {
      acts.toggle({ kind: "workflow", name: task.workflow.name });
    });
    timeline.aside(rest, round);
  };
  timeline.aside(rest, round);
}
