import {
  asksAgent,
  idempotencyKey,
  isCall,
  isFinished,
  type Json,
  type Step,
  type StepPlan,
  stepsOf,
} from "@holdfast/domain";
import type { PauseTarget } from "@holdfast/state-store";
import {
  type AtOnce,
  epoch,
  type MemoryStore,
  type SimulatedStore,
  type StoredTask,
} from "@holdfast/testing/simulator";
import { type Facts, isSkipped, nameOf } from "./facts.ts";
import type { OperatorJudge } from "./judge-operators.ts";
import { type ApplyRequest, applyRequests } from "./operator-requests.ts";
import { outputIdOf, type RemoteService } from "./remote.ts";
import { sourceOf } from "./workflows.ts";
import type { World } from "./world.ts";

interface OperatorActOptions {
  readonly memory: MemoryStore;
  /** The store as the mutant that is tried has it. */
  readonly store: AtOnce<SimulatedStore>;
  readonly service: RemoteService;
  readonly judge: OperatorJudge;
  readonly facts: Facts;
}

/** What an operator does, each checked against the version that he has seen. */
export type OperatorActs = ReturnType<typeof operatorActs>;

/** What operators can do to tasks, Agents and workflows, each answer reported to the judge. */
export function operatorActs(
  world: World,
  { memory, store, service, judge, facts }: OperatorActOptions,
) {
  const apply = applyRequests(world, store);
  return {
    ...pauseTargets(world, { store, judge }),
    ...operatorSteps(world, { apply, service, facts }),
    pauseTask(stored: StoredTask): void {
      if (apply(stored, { event: { kind: "paused" } })) judge.taskPaused(stored.task.taskId);
    },
    resumeTask(stored: StoredTask): void {
      if (apply(stored, { event: { kind: "resumed" } })) judge.taskResumed(stored.task.taskId);
    },
    undo(stored: StoredTask): void {
      apply(stored, { event: { kind: "undoRequested", code: "operator.cancel" } });
    },
    unfinished: (): readonly StoredTask[] =>
      [...memory.tasks.values()].filter(({ task }) => !isFinished(task)),
    awaiting: ({ task }: StoredTask): readonly Step[] =>
      stepsOf(task).filter(({ processState }) => processState === "awaiting"),
    delayed: ({ task }: StoredTask, longerThan: number): Step | undefined =>
      stepsOf(task).find(
        (step) =>
          step.processState === "pending" &&
          step.notBefore > epoch + world.timeline.now + longerThan,
      ),
  };
}

interface PauseTargetsOptions {
  readonly store: AtOnce<SimulatedStore>;
  readonly judge: OperatorJudge;
}

const keyOf = ({ kind, name }: PauseTarget): string => `${kind} ${name}`;

/** Pauses Agents and workflows, and resumes them. */
function pauseTargets(world: World, { store, judge }: PauseTargetsOptions) {
  const paused = new Map<string, PauseTarget>();

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

  return {
    resumeTargets: () => [...paused.values()].forEach(resumeTarget),
    toggle: (target: PauseTarget) =>
      paused.has(keyOf(target)) ? resumeTarget(target) : pauseTarget(target),
  };
}

interface OperatorStepsOptions {
  readonly apply: ApplyRequest;
  readonly service: RemoteService;
  readonly facts: Facts;
}

/** Retries, resubmits and resolves steps, and ends waits. */
function operatorSteps(world: World, { apply, service, facts }: OperatorStepsOptions) {
  return {
    retry(stored: StoredTask, { plan: { name: step } }: Step): void {
      if (!apply(stored, { event: { kind: "retryRequested", step } })) return;
      if (stored.ranks.has(step)) return;
      world.accuse("a step that an operator retries is due at once", () =>
        nameOf(stored.task.taskId, step),
      );
    },

    /**
     * Ends a wait before its time, also one of a task that is paused or halted; unless later steps
     * need what a signal carries, or it is for people to decide.
     */
    fire(stored: StoredTask, { plan }: Step): void {
      const { name: step } = plan;
      const isEnded = apply(stored, { event: { kind: "waitEnded", step, by: "operator" } });
      const needs = needOf(plan);
      if (isEnded === (needs === null)) return;
      world.accuse(needs ?? "an operator ends a wait whenever he asks for it", () =>
        nameOf(stored.task.taskId, step),
      );
    },

    resubmit(stored: StoredTask, { plan, attempt }: Step, isCorrected: boolean): void {
      const inputChanged = isCorrected && plan.kind !== "undo";
      apply(stored, {
        event: { kind: "resubmitted", step: plan.name, attempt, inputChanged },
        ...(inputChanged ? { correctedInput: inputOf(facts, stored, plan.name) } : {}),
      });
    },

    /** Does it by hand at the remote service, under the key of the step, and says so. */
    resolve(stored: StoredTask, { plan, attempt }: Step): void {
      const { taskId, steps } = stored.task;
      if (!asksAgent(plan)) {
        const resolved = { kind: "resolved", step: plan.name, attempt } as const;
        const isDone = apply(stored, { event: resolved, output: null });
        if (isDone && plan.kind === "approval") {
          world.accuse(decidesNothing, () => nameOf(taskId, plan.name));
        }
        return;
      }
      const call = plan.undoes ?? plan.name;
      const generation = steps.get(call)?.keyGeneration ?? 0;
      const key = idempotencyKey(taskId, { name: call, undoes: null }, generation);
      const caller = { taskId, step: call };
      let output: Json = null;
      try {
        if (plan.undoes !== null) service.undo(key, caller);
        else {
          const { from } = inputOf(facts, stored, call);
          output = { ...service.perform(key, { caller, from, declines: () => false }) };
        }
      } catch {
        // The service refuses it for good, also to a person.
        return;
      }
      apply(stored, { event: { kind: "resolved", step: plan.name, attempt }, output });
    },
  };
}

const decidesNothing = "no operator decides in the place of those who are asked";

/** The rule by which no operator ends a wait; null: an operator may. */
function needOf(plan: StepPlan): string | null {
  if (plan.kind === "approval") return decidesNothing;
  return plan.kind === "signal" && plan.onDeadline === "fail"
    ? "no operator has a task go on without a signal that it needs"
    : null;
}

/** What the workflow puts into the step, which an operator may put there by hand as well. */
function inputOf(facts: Facts, { task, input }: StoredTask, name: string) {
  const known = facts.tasks.get(task.taskId);
  const definition = known?.steps.get(name)?.definition;
  const source = definition === undefined || !isCall(definition) ? null : sourceOf(definition);
  const before = source === null ? undefined : known?.steps.get(source);
  const isMissing =
    source === null || before === undefined || !known || isSkipped(known, before.definition);
  const { order } = input as { readonly order: string };
  return { order, from: isMissing ? null : outputIdOf({ taskId: task.taskId, step: source }) };
}
