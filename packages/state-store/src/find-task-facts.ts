import type { Goal, Instant, StepKind, StepState, TaskState, WorkflowPlan } from "@holdfast/domain";
import { type Database, query } from "./query.ts";
import { findStandstills, type StandstillFacts } from "./standstills.ts";
import { isUsable, readWorkflow } from "./workflow-catalog.ts";

/** Who has something wait, since when, and why. */
export interface PauseFacts {
  readonly at: Instant;
  readonly by: string;
  readonly reason: string | null;
}

/** A task and all that can keep it waiting, as of one moment. */
export interface TaskFacts {
  readonly workflow: string;
  readonly goal: Goal;
  readonly processState: TaskState;
  readonly faultCode: string | null;
  readonly createdAt: Instant;
  readonly finishedAt: Instant | null;
  readonly paused: PauseFacts | null;
  readonly workflowPaused: PauseFacts | null;
  /** The store's clock. */
  readonly now: Instant;
  readonly steps: readonly StepFacts[];
  readonly lanes: readonly LaneFacts[];
  /** Null: the workflow is not stored, or its definition cannot be used. */
  readonly plan: WorkflowPlan | null;
  /** Consumers that fail: what this task waits for may be among what they have read. */
  readonly standstills: readonly StandstillFacts[];
}

export interface StepFacts {
  readonly name: string;
  readonly kind: StepKind;
  readonly agent: string;
  readonly processState: StepState;
  readonly attempt: number;
  readonly failureCount: number;
  readonly putBackCount: number;
  readonly admitted: boolean;
  readonly faultCode: string | null;
  readonly faultDetail: string | null;
  readonly lockedBy: string | null;
  readonly dispatched: boolean;
  readonly startBy: Instant | null;
  readonly completeBy: Instant | null;
  /** `Infinity`: set aside, because its workflow is paused. */
  readonly notBefore: Instant | null;
  /** How many steps of its Agent are due before it, counted no further than to 10,000. */
  readonly dueBefore: number;
  /** The last entry of its history; null: it stands where it was submitted. */
  readonly lastAction: string | null;
  readonly lastReason: string | null;
  /** Who had it come there. */
  readonly lastActor: string | null;
  readonly since: Instant | null;
}

export interface LaneFacts {
  readonly agent: string;
  /** Steps, counted no further than to 10,000. */
  readonly inFlight: number;
  readonly paused: PauseFacts | null;
  /** Those that were heard of lately, and how many of them leave their remote service alone. */
  readonly instances: number;
  readonly broken: number;
  readonly brokenUntil: Instant | null;
}

const findTask = query<
  { taskId: string },
  Omit<TaskFacts, "steps" | "lanes" | "plan" | "standstills">
>("find-task-facts");
const findSteps = query<{ taskId: string }, StepFacts>("find-step-facts");
const findLanes = query<{ taskId: string; heardWithin: number }, LaneFacts>("find-lane-facts");

/** Milliseconds: three heartbeats. */
const heardWithin = 15_000;

/** All that keeps a task waiting; null when there is none of that id. */
export async function findTaskFacts(db: Database, taskId: string): Promise<TaskFacts | null> {
  const [task] = await findTask(db, { taskId });
  if (task === undefined) return null;
  const workflow = await readWorkflow(db, task.workflow);
  const plan = isUsable(workflow) ? workflow.plan : null;
  return {
    ...task,
    steps: inOrder(await findSteps(db, { taskId }), plan),
    lanes: await findLanes(db, { taskId, heardWithin }),
    plan,
    standstills: await findStandstills(db),
  };
}

/** As their author wrote them down, undos last. */
function inOrder(steps: readonly StepFacts[], plan: WorkflowPlan | null): readonly StepFacts[] {
  const names = [...(plan?.steps.keys() ?? [])];
  return steps.toSorted((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
}
