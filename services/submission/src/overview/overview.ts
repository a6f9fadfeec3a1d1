import type { BrokerView } from "@holdfast/diagnosis";
import { quantileOf } from "@holdfast/domain";
import type {
  ListedAgent,
  OperationsStore,
  OverviewFacts,
  RemoteRecord,
  SeenInstance,
  SubjectTotals,
} from "@holdfast/state-store";
import { findAgentDemands } from "./needs-you.ts";

interface OverviewSources {
  readonly store: OperationsStore;
  /** What this process knows of the broker. */
  readonly viewBroker: () => BrokerView;
}

const minute = 60_000;
/** Agents that are looked at. */
const mostAgents = 500;
/** Attempts of Agents are judged by this long, tasks that ended are counted for a day. */
const recent = 15 * minute;
const day = 24 * 60 * minute;

/** What an operator looks at first. It reads a bounded number of rows, whatever the history. */
export async function readOverview({ store, viewBroker }: OverviewSources) {
  const [facts, agents, remotes, instances, known, paths, inbox] = await Promise.all([
    store.findOverview(),
    store.listAgents({ after: null, most: mostAgents }),
    store.findRemotes(),
    store.findInstances(),
    store.findKnownAgents(),
    store.findPaths(),
    store.findInbox({ within: 60 * minute }),
  ]);
  const broker = viewBroker();
  const now = facts.now.getTime();
  const [ofAgents, ofDay, ofMinutes] = await Promise.all([
    store.findTotals({ of: "agent", now, from: now - recent, until: now }),
    store.findTotals({ of: "everything", now, from: now - day, until: now }),
    store.findTotals({ of: "everything", now, from: now - 4 * minute, until: now }),
  ]);
  const heartbeating = new Set(known.map(({ agent }) => agent));
  const totals = new Map(ofAgents.map((one) => [one.subject, one]));
  const alive = instances.filter(({ living }) => living);
  const oldestDue = agents.flatMap(({ dueFor }) => (dueFor === null ? [] : [dueFor]));
  return {
    at: facts.now.toISOString(),
    states: statesOf(facts, ofDay[0]),
    perMinute: perMinute(ofMinutes[0], now),
    oldestDueMs: oldestDue.length === 0 ? null : Math.round(Math.max(0, ...oldestDue)),
    needsYou: findAgentDemands({
      facts,
      agents,
      remotes,
      instances,
      heartbeating,
      broker,
      paths,
      inbox,
    }),
    agents: agents.map((agent) =>
      agentRow(agent, {
        totals: totals.get(agent.name),
        remote: remotes.find((remote) => remote.agents.includes(agent.name)),
      }),
    ),
    schedulers: alive.filter(({ service }) => service === "scheduler").map(seen),
    supervisors: alive.filter(({ service }) => service === "supervisor").map(seen),
  };
}

const statesOf = ({ states }: OverviewFacts, ended: SubjectTotals | undefined) => ({
  pending: Math.max(0, states.pending ?? 0),
  processing: Math.max(0, states.processing ?? 0),
  undoing: Math.max(0, states.undoing ?? 0),
  halted: Math.max(0, states.halted ?? 0),
  processed: ended?.processed ?? 0,
  undone: ended?.undone ?? 0,
});

/** The rates of the minutes that were read, the last of which has just begun. */
function perMinute(totals: SubjectTotals | undefined, now: number) {
  const first = Math.floor((now - 4 * minute) / minute) * minute;
  const minutes = (now - first) / minute;
  const rate = (count: number) => Math.round((10 * count) / minutes) / 10;
  return {
    submitted: rate(totals?.submitted ?? 0),
    ended: rate((totals?.processed ?? 0) + (totals?.undone ?? 0)),
  };
}

interface AgentFacts {
  readonly totals: SubjectTotals | undefined;
  readonly remote: RemoteRecord | undefined;
}

function agentRow(agent: ListedAgent, { totals, remote }: AgentFacts) {
  const { name, living, slots, inFlight, due, dueFor, paused, instances } = agent;
  const attempts = totals?.attempts ?? 0;
  const seenAt = Math.max(...instances.map(({ lastSeen }) => lastSeen));
  return {
    name,
    instances: living,
    slots,
    inFlight,
    due,
    oldestDueMs: dueFor === null ? null : Math.max(0, Math.round(dueFor)),
    p50Ms: quantileOf(totals?.durations ?? [], 0.5),
    p95Ms: quantileOf(totals?.durations ?? [], 0.95),
    okPercent:
      attempts === 0
        ? null
        : Math.round(1_000 * (1 - (totals?.failedAttempts ?? 0) / attempts)) / 10,
    breaker: remote?.state ?? "closed",
    breakerUntil: remote?.openUntil?.toISOString() ?? null,
    heldSteps: remote?.heldSteps ?? 0,
    paused: paused !== null,
    seenAt: Number.isFinite(seenAt) ? new Date(seenAt).toISOString() : null,
  };
}

const seen = ({ instance, seenAt }: SeenInstance) => ({ instance, seenAt: seenAt.toISOString() });
