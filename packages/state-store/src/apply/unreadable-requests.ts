import {
  type AnnouncingInstance,
  type AskedOperation,
  givenBack,
  givenBackOften,
  isGivenBack,
} from "@holdfast/contracts";
import {
  agentOf,
  agentsOfLane,
  asksAgent,
  laneOf,
  type ReportedTaskEvent,
  requeuesUntilAlert,
  type Task,
  type Unreadable,
  type VersionedTask,
} from "@holdfast/domain";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import type { StepContracts } from "../workflows/output-contract.ts";
import { contractsOf } from "../workflows/workflow-catalog.ts";

type UnreadableRequests = ReadonlyMap<ReportedTaskEvent, Unreadable>;

/** A request that an instance gave back because it cannot read it. */
interface GivenBack {
  readonly reported: ReportedTaskEvent;
  readonly asked: AskedOperation;
  /**
   * The Agents that may get it, if it came back so often that their instances have to be looked at;
   * otherwise none.
   */
  readonly lookAt: readonly string[];
}

const findAnnouncingInstances = query("find-announcing-instances", rowsOf<AnnouncingInstance>());

const none: UnreadableRequests = new Map();

const isFailure = ({ event }: ReportedTaskEvent): boolean => event.kind === "failed";

interface Batch {
  readonly tasks: readonly VersionedTask[];
  readonly byTask: ReadonlyMap<string, readonly ReportedTaskEvent[]>;
}

/**
 * The requests of a batch that instances gave back because they cannot read them. Asks the store
 * who else could only where a request has come back many times in a row.
 */
export async function findUnreadable(
  db: Database,
  { tasks, byTask }: Batch,
): Promise<UnreadableRequests> {
  // Most batches have no failure, and nothing is to be looked up for them.
  if (![...byTask.values()].some((events) => events.some(isFailure))) return none;
  const found = tasks.flatMap(({ task }) =>
    givenBackOf(task, byTask.get(task.taskId) ?? [], contractsOf(task.workflow)),
  );
  if (found.length === 0) return none;
  const agents = [...new Set(found.flatMap(({ lookAt }) => lookAt))];
  const instances = agents.length === 0 ? [] : await findAnnouncingInstances(db, { agents });
  return unreadableRequests(found, instances);
}

/** Which of the events of a task say that a request cannot be read by the instance that had it. */
export const givenBackOf = (
  task: Task,
  events: readonly ReportedTaskEvent[],
  contracts: Pick<StepContracts, "hashOf">,
): readonly GivenBack[] =>
  events.flatMap((reported): readonly GivenBack[] => {
    const { event } = reported;
    const step = event.kind === "failed" ? task.steps.get(event.step) : undefined;
    if (step === undefined || !asksAgent(step.plan)) return [];
    const { agent } = step;
    const { name, operation, undoes } = step.plan;
    const neededHash = () => (undoes === null ? contracts.hashOf(name) : null);
    if (!isGivenBack(reported, neededHash)) return [];
    const isOften = step.requeueCount + 1 >= requeuesUntilAlert;
    const asked = {
      workflow: task.workflow.name,
      agent: agentOf({ plan: step.plan, agent }),
      operation,
      needed: neededHash(),
    };
    return [{ reported, asked, lookAt: isOften ? agentsOfLane(laneOf(step)) : [] }];
  });

/** What becomes of requests that were given back, by what the running instances announce. */
export const unreadableRequests = (
  found: readonly GivenBack[],
  instances: readonly AnnouncingInstance[],
): UnreadableRequests =>
  new Map(
    found.map(({ reported, asked, lookAt }) => [
      reported,
      lookAt.length === 0
        ? givenBack(reported, asked)
        : givenBackOften(
            reported,
            asked,
            instances.filter(({ agent }) => lookAt.includes(agent)),
          ),
    ]),
  );
