import type {
  Agent,
  HistoryEntry,
  HoldfastClient,
  Remote,
  Step,
  StoredWorkflow,
  Task,
} from "@holdfast/client";
import { type Explanation, explain, type Facts } from "@holdfast/diagnosis";
import {
  type Band,
  bandOf,
  type Instant,
  planWorkflow,
  type WorkflowDefinition,
  type WorkflowPlan,
} from "@holdfast/domain";
import type { BreakerFacts, LaneFacts, PauseFacts, StepFacts } from "@holdfast/state-store";

/** Why a task is where it is: the sentences of `holdfast why`, from what the HTTP API tells. */
export async function explainTask(
  client: HoldfastClient,
  id: string,
): Promise<Explanation & { readonly task: Task }> {
  const task = await client.tasks.get(id);
  const [history, agents, remotes, workflow, pauses, schedulers] = await Promise.all([
    client.tasks.history(id),
    orNone(client.agents.list()),
    orNone(client.remotes.list()),
    client.workflows.get(task.workflow).catch(() => null),
    orNone(client.pauses.list()),
    orNone(client.system.show().then((system) => system.schedulers)),
  ]);
  const plan =
    workflow === null ? null : planWorkflow(workflow.definition as unknown as WorkflowDefinition);
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
    completeBy: null,
    paused: pausedFacts(task.paused),
    workflowPaused:
      paused === undefined
        ? null
        : { at: Date.parse(paused.pausedAt), by: paused.actor, reason: paused.reason },
    activated: activatedFacts(workflow),
    now: Date.now(),
    steps: inOrder(task, plan).map((step) => stepFacts(step, task, history)),
    lanes: agents.map((agent) => laneFacts(agent, remotes)),
    plan,
    standstills: [],
    unproven: [],
    windows: schedulers.flatMap(({ slots }) => (slots === null ? [] : [slots])),
    broker: null,
  };
  return { ...explain(facts), task };
}

/** What only operators may see is left out for others. */
const orNone = async <Item>(asked: Promise<readonly Item[]>): Promise<readonly Item[]> =>
  asked.catch(() => []);

const at = (text: string | null | undefined): Instant | null =>
  text === null || text === undefined ? null : Date.parse(text);

type Paused = NonNullable<Task["paused"]>;

const pausedFacts = (paused: Paused | null): PauseFacts | null =>
  paused && { at: Date.parse(paused.at), by: paused.by, reason: paused.reason };

function inOrder({ steps }: Task, plan: WorkflowPlan | null): readonly Step[] {
  const names = [...(plan?.steps.keys() ?? [])];
  return steps.toSorted((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
}

function stepFacts(
  { output: _payload, ...step }: Step,
  { priority, fairness }: Task,
  history: readonly HistoryEntry[],
): StepFacts {
  const last = history.findLast((entry) => entry.step === step.name);
  const band: Band = step.kind === "compensation" ? 0 : bandOf(priority);
  return {
    ...step,
    admitted: true,
    dispatched: true,
    startBy: null,
    completeBy: at(step.completeBy),
    startedAt: at(step.startedAt),
    heartbeatAt: at(step.heartbeatAt),
    progress: step.progress,
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

function laneFacts(agent: Agent, remotes: readonly Remote[]): LaneFacts {
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

function breakerFacts(remote: Remote): BreakerFacts | null {
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
    lastFault: null,
  };
}

/** Null: it is not the active version any more, or is not stored. */
function activatedFacts(workflow: StoredWorkflow | null): Facts["activated"] {
  if (workflow === null || workflow.active === null) return null;
  const { at: activatedAt, by, reason } = workflow.active;
  return { at: Date.parse(activatedAt), by, reason };
}
