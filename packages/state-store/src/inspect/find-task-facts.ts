import type {
  Band,
  BreakerState,
  Goal,
  Instant,
  StepKind,
  StepState,
  TaskState,
  WorkflowPlan,
} from "@holdfast/domain";
import { findLastFaults, type LastFault } from "../breakers/breakers.ts";
import type { StepProgress } from "../claim/attempt-signs.ts";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { readInstances, type SeenInstance } from "../statistics/instances.ts";
import { isUsable, readWorkflow } from "../workflows/workflow-catalog.ts";
import { type PathFacts, readPaths } from "./find-paths.ts";
import { findStalledConsumers, type StalledConsumerFacts } from "./stalled-consumers.ts";

/** Who paused or activated something, when, and why. */
export interface PauseFacts {
  readonly at: Instant;
  readonly by: string;
  readonly reason: string | null;
}

/** A task and all that can keep it waiting, as of one moment. */
export interface TaskFacts extends PathFacts {
  readonly workflow: string;
  readonly goal: Goal;
  readonly processState: TaskState;
  readonly faultCode: string | null;
  readonly createdAt: Instant;
  readonly finishedAt: Instant | null;
  /** The limit of the task itself; null: it has none, or is being undone. */
  readonly completeBy: Instant | null;
  readonly paused: PauseFacts | null;
  readonly workflowPaused: PauseFacts | null;
  /** Who activated its version last, when, and why; null: it was never active, or is not stored. */
  readonly activated: PauseFacts | null;
  /** The store's clock. */
  readonly now: Instant;
  readonly steps: readonly StepFacts[];
  readonly lanes: readonly LaneFacts[];
  /** The plan of the workflow; null: it is not stored, or its definition cannot be used. */
  readonly plan: WorkflowPlan | null;
  /** Consumers that fail: what this task waits for may be among what they have read. */
  readonly stalledConsumers: readonly StalledConsumerFacts[];
  /** The services that announced themselves lately. */
  readonly instances: readonly SeenInstance[];
  /**
   * The MAX_IN_FLIGHT of each living Scheduler, as it announces it: steps in flight for each Agent.
   */
  readonly inFlightLimits: readonly number[];
}

export interface StepFacts {
  readonly name: string;
  readonly kind: StepKind;
  readonly agent: string;
  readonly processState: StepState;
  readonly attempt: number;
  readonly failureCount: number;
  readonly requeueCount: number;
  readonly admitted: boolean;
  readonly faultCode: string | null;
  readonly faultDetail: string | null;
  readonly lockedBy: string | null;
  readonly confirmed: boolean;
  readonly startBy: Instant | null;
  readonly completeBy: Instant | null;
  /** When its Agent began the attempt; null: it has not said so. */
  readonly startedAt: Instant | null;
  /** When the handler last said that it is at work. */
  readonly heartbeatAt: Instant | null;
  readonly progress: StepProgress | null;
  /** `Infinity`: set aside, because its workflow is paused. */
  readonly notBefore: Instant | null;
  /** Its place in the due order: see `bands`. */
  readonly band: Band;
  readonly fairnessKey: string | null;
  readonly fairnessWeight: number | null;
  /**
   * How many steps of its Agent are due before it, in each band up to its own, counted no further
   * than to 10,000.
   */
  readonly dueBefore: readonly number[];
  /** The three keys that have most of the next 1,000 steps before it in its band. */
  readonly keysBefore: readonly { readonly key: string; readonly steps: number }[];
  /** How many people have approved it; null: it does not wait. */
  readonly approvals: number | null;
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
  /** Living instances, the slots of each, and how many have an open circuit breaker. */
  readonly instances: number;
  readonly slots: readonly number[];
  readonly broken: number;
  readonly brokenUntil: Instant | null;
  /** When any instance was seen last; null: none in the last day. */
  readonly lastSeen: Instant | null;
  /** Whether it has ever sent heartbeats: others are not missed. */
  readonly announces: boolean;
  /** The breaker of the remote service behind it; null: it holds nothing back. */
  readonly breaker: BreakerFacts | null;
}

/** The breaker of a remote service that holds back the steps of an Agent. */
export interface BreakerFacts {
  readonly service: string;
  readonly state: BreakerState;
  readonly reason: string;
  /** Who opened or closed it last. */
  readonly by: string;
  readonly since: Instant;
  /** An operator holds it open. */
  readonly held: boolean;
  /** When a probe is due. */
  readonly openUntil: Instant | null;
  /** The service asked to be left alone until then. */
  readonly throttledUntil: Instant | null;
  /** The task of which a step is tried. */
  readonly probe: string | null;
  /** How many due steps it holds back, counted no further than to 10,000. */
  readonly due: number;
  /** What the service answered last that was a failure; null: nothing of it is kept. */
  readonly lastFault: LastFault | null;
}

const findTask = query(
  "find-task-facts",
  rowsOf<
    Omit<
      TaskFacts,
      | "steps"
      | "lanes"
      | "plan"
      | "stalledConsumers"
      | "instances"
      | "inFlightLimits"
      | keyof PathFacts
    >
  >(),
);
const findSteps = query("find-step-facts", rowsOf<StepFacts>());
const findLanes = query("find-lane-facts", rowsOf<LaneFacts>());

/** The lanes, with what their remote services answered last. */
async function findLaneFacts(db: Database, taskId: string): Promise<readonly LaneFacts[]> {
  const lanes = await findLanes(db, { taskId });
  const services = lanes.flatMap(({ breaker }) => (breaker === null ? [] : [breaker.service]));
  const faults = await findLastFaults(db, services);
  return lanes.map((lane) => {
    const { breaker } = lane;
    if (breaker === null) return lane;
    return { ...lane, breaker: { ...breaker, lastFault: faults.get(breaker.service) ?? null } };
  });
}

/** All that keeps a task waiting; null when there is none of that id. */
export async function findTaskFacts(db: Database, taskId: string): Promise<TaskFacts | null> {
  const [task] = await findTask(db, { taskId });
  if (task === undefined) return null;
  const workflow = await readWorkflow(db, task.workflow);
  const plan = isUsable(workflow) ? workflow.plan : null;
  const instances = await readInstances(db);
  return {
    ...task,
    steps: inOrder(await findSteps(db, { taskId }), plan),
    lanes: await findLaneFacts(db, taskId),
    plan,
    stalledConsumers: await findStalledConsumers(db),
    ...(await readPaths(db)),
    instances,
    inFlightLimits: limitsOf(instances),
  };
}

const limitsOf = (instances: readonly SeenInstance[]): readonly number[] =>
  instances
    .filter(({ service, living }) => service === "scheduler" && living)
    .flatMap(({ slots }) => (slots === null ? [] : [slots]));

/** Sorts steps as their author wrote them down, undos last. */
function inOrder(steps: readonly StepFacts[], plan: WorkflowPlan | null): readonly StepFacts[] {
  const names = [...(plan?.steps.keys() ?? [])];
  return steps.toSorted((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
}

/** The breaker of a remote service, and the Agents that call it. */
export interface RemoteFacts extends BreakerFacts {
  readonly agents: readonly string[];
}

const selectBreakers = query("find-breaker-facts", rowsOf<Omit<RemoteFacts, "lastFault">>());

/** All breakers that hold something back. */
export async function findBreakerFacts(db: Database): Promise<readonly RemoteFacts[]> {
  const found = await selectBreakers(db, {});
  const faults = await findLastFaults(
    db,
    found.map(({ service }) => service),
  );
  return found.map((one) => ({ ...one, lastFault: faults.get(one.service) ?? null }));
}
