import {
  type Band,
  bandOf,
  type Instant,
  type Priority,
  planWorkflow,
  type WorkflowPlan,
} from "@holdfast/domain";
import type { BreakerFacts, LaneFacts, PauseFacts, StepFacts } from "@holdfast/state-store";
import { type Explanation, explain } from "../why/explain.ts";
import type { Facts } from "../why/facts.ts";
import type { Api } from "./api.ts";
import type {
  AgentResource,
  HistoryResource,
  PageOf,
  PausedResource,
  PauseResource,
  RemoteResource,
  StepResource,
  TaskResource,
  WorkflowResource,
} from "./resources.ts";

/** Why a task is where it is: the sentences of `holdfast why`, from what the HTTP API tells. */
export async function explainTask(
  api: Api,
  id: string,
): Promise<Explanation & { readonly task: TaskResource }> {
  const path = `/v1/tasks/${encodeURIComponent(id)}`;
  const task = await api.get<TaskResource>(path);
  const [history, agents, remotes, workflow, pauses] = await Promise.all([
    api.get<PageOf<HistoryResource>>(`${path}/history`),
    orNone(api.get<PageOf<AgentResource>>("/v1/agents")),
    orNone(api.get<PageOf<RemoteResource>>("/v1/remotes")),
    api
      .get<WorkflowResource>(`/v1/workflows/${encodeURIComponent(task.workflow)}`)
      .catch(() => null),
    orNone(api.get<PageOf<PauseResource>>("/v1/pauses")),
  ]);
  const definition = workflow?.definition;
  const plan = definition === undefined ? null : planWorkflow(definition);
  const paused = pauses.find(
    (one) => one.kind === "workflow" && one.name === task.workflow && one.resumedAt === null,
  );
  const facts: Facts = {
    workflow: task.workflow,
    goal: task.goal,
    processState: task.state,
    faultCode: task.faultCode,
    createdAt: Date.parse(task.createdAt),
    finishedAt: at(task.finishedAt),
    paused: pausedFacts(task.paused),
    workflowPaused:
      paused === undefined
        ? null
        : { at: Date.parse(paused.pausedAt), by: paused.actor, reason: paused.reason },
    now: Date.now(),
    steps: inOrder(task, plan).map((step) => stepFacts(step, task, history.items)),
    lanes: agents.map((agent) => laneFacts(agent, remotes)),
    plan,
    standstills: [],
    broker: null,
  };
  return { ...explain(facts), task };
}

/** What only operators may see is left out for others. */
const orNone = async <Item>(asked: Promise<PageOf<Item>>): Promise<readonly Item[]> =>
  asked.then(
    ({ items }) => items,
    () => [],
  );

const at = (text: string | null | undefined): Instant | null =>
  text === null || text === undefined ? null : Date.parse(text);

const pausedFacts = (paused: PausedResource | null): PauseFacts | null =>
  paused && { at: Date.parse(paused.at), by: paused.by, reason: paused.reason };

function inOrder({ steps }: TaskResource, plan: WorkflowPlan | null): readonly StepResource[] {
  const names = [...(plan?.steps.keys() ?? [])];
  return steps.toSorted((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
}

function stepFacts(
  { output: _payload, ...step }: StepResource,
  { priority, fairness }: TaskResource,
  history: readonly HistoryResource[],
): StepFacts {
  const last = history.findLast((entry) => entry.step === step.name);
  const band: Band = step.kind === "compensation" ? 0 : bandOf(priority as Priority);
  return {
    ...step,
    admitted: true,
    dispatched: true,
    startBy: null,
    completeBy: at(step.completeBy),
    startedAt: at(step.startedAt),
    heartbeatAt: at(step.heartbeatAt),
    progress: step.progress ?? null,
    notBefore: at(step.notBefore),
    band,
    fairnessKey: fairness?.key ?? null,
    fairnessWeight: fairness?.weight ?? null,
    dueBefore: [],
    keysBefore: [],
    lastAction: last?.action ?? null,
    lastReason: last?.reason ?? null,
    lastActor: last?.actor ?? null,
    since: at(last?.at),
  };
}

function laneFacts(agent: AgentResource, remotes: readonly RemoteResource[]): LaneFacts {
  const living = agent.instances.filter((one) => one.living);
  const broken = living.filter(({ breaker }) => breaker === "open");
  const untils = broken.flatMap(({ openUntil }) => at(openUntil) ?? []);
  const remote = remotes.find(
    ({ agents, name }) => agents.includes(agent.name) || name === agent.name,
  );
  return {
    agent: agent.name,
    inFlight: agent.inFlight,
    paused: pausedFacts(agent.paused),
    instances: living.length,
    slots: living.map(({ slots }) => slots),
    broken: broken.length,
    brokenUntil: untils.length === 0 ? null : Math.min(...untils),
    breaker: remote === undefined ? null : breakerFacts(remote),
  };
}

function breakerFacts(remote: RemoteResource): BreakerFacts | null {
  const throttledUntil = at(remote.throttledUntil);
  const isQuiet = remote.breaker === "closed" && (throttledUntil ?? 0) < Date.now();
  if (isQuiet) return null;
  return {
    service: remote.name,
    state: remote.breaker,
    reason: remote.reason ?? "a reason that was not written down",
    by: remote.actor ?? "Holdfast",
    since: at(remote.since) ?? Date.now(),
    held: remote.held,
    openUntil: at(remote.openUntil),
    throttledUntil,
    probe: remote.probe?.taskId ?? null,
    due: remote.heldSteps,
  };
}
