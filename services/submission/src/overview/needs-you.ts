import {
  type BrokerView,
  type Cause,
  type CauseKind,
  findCauses,
  type RemoteState,
  type SeenAgent,
  type SeenProcess,
  systemFacts,
} from "@holdfast/diagnosis";
import type { Instant, Milliseconds } from "@holdfast/domain";
import type {
  ListedAgent,
  OverviewFacts,
  PathFacts,
  RemoteRecord,
  SeenInbox,
} from "@holdfast/state-store";

/** Something that waits for an operator, with the page of the console that shows it. */
export interface Need {
  readonly kind: keyof typeof needKinds;
  readonly count: number;
  /** One sentence in plain English. */
  readonly sentence: string;
  /** The one act that helps; null: the sentence has it. */
  readonly act: string | null;
  /** ISO 8601; null: not known. */
  readonly since: string | null;
  readonly page: string;
}

/** What a need can be about. */
export const needKinds = {
  scheduler: "no Scheduler runs",
  broker: "the broker cannot be reached, or takes no messages",
  replies: "whether replies arrive is not known",
  supervisor: "no Supervisor runs",
  inbox: "what applications enqueue becomes no tasks",
  paused: "an operator paused something",
  breaker: "a remote service is left alone",
  agentSilent: "no process serves an Agent",
  halted: "tasks halted",
  deadLetters: "messages could not be used",
  refused: "submissions that applications enqueued were refused in the last hour",
  outbox: "notifications wait to be sent",
  alert: "alerts of the last hour",
} as const;

/** What is looked at to find what needs an operator. */
export interface NeedFacts {
  readonly facts: OverviewFacts;
  readonly agents: readonly ListedAgent[];
  readonly remotes: readonly RemoteRecord[];
  /** The services that announced themselves. */
  readonly instances: readonly SeenProcess[];
  /** The Agents that have ever sent a heartbeat: others are not missed. */
  readonly heartbeating: ReadonlySet<string>;
  /** What this process knows of the broker by its own connection. */
  readonly broker: BrokerView;
  readonly paths: PathFacts;
  /** The inbox, with what was refused in the last hour. */
  readonly inbox: SeenInbox;
}

/** Milliseconds after which a notification should have been sent. */
const sentWithin: Milliseconds = 60_000;

/**
 * What needs an operator: first what keeps tasks from going on, causes before their effects, as
 * `why` has them. Pure.
 */
export function findAgentDemands(found: NeedFacts): readonly Need[] {
  const causes = causesOf(found);
  return [
    ...causes.map((cause) => needOf(cause, found)),
    ...haltedTasks(found),
    ...deadLetters(found),
    ...found.inbox.refused.map(refusedEntries),
    ...lateOutbox(found),
    ...found.facts.alerts.filter(({ kind }) => !isExplained(kind, causes)).map(recentAlerts),
    ...pausedTasks(found),
  ];
}

/** The alerts that some causes raise. */
const alerted: Readonly<Partial<Record<CauseKind, string>>> = {
  remote: "breaker.opened",
  replies: "replies.unproven",
};

/** An alert of what stands here as a cause already says the same twice. */
const isExplained = (alert: string, causes: readonly Cause[]): boolean =>
  causes.some(({ kind }) => alerted[kind] === alert);

function causesOf(found: NeedFacts): readonly Cause[] {
  const { facts, agents, remotes, instances, heartbeating, broker, paths, inbox } = found;
  const system = systemFacts({
    ...paths,
    now: facts.now.getTime(),
    broker,
    instances,
    inbox,
    pauses: facts.pauses.map(({ kind, name, since, actor: by, reason }) => ({
      kind,
      name,
      paused: { at: Date.parse(since), by, reason },
    })),
    agents: agents.map((agent) => seenAgent(agent, heartbeating)),
    remotes: remotes.flatMap(remoteState),
  });
  return findCauses(system).filter((cause) => concerns(cause, remotes));
}

/** What keeps nothing waiting concerns no operator, unless one has requested it. */
function concerns({ kind, about, count }: Cause, remotes: NeedFacts["remotes"]): boolean {
  const isHeld = remotes.some(({ service, held }) => service === about && held);
  const isCounted = kind === "remote" || kind === "agentSilent" || kind === "circuits";
  return count > 0 || isHeld || !isCounted;
}

function seenAgent(
  { name, living, due, inFlight, instances }: ListedAgent,
  heartbeating: ReadonlySet<string>,
): SeenAgent {
  const broken = instances.filter((one) => one.living && one.breaker === "open");
  const untils = broken.flatMap(({ openUntil }) => openUntil ?? []);
  const seen = instances.map((one) => one.lastSeen);
  return {
    name,
    waiting: due + inFlight,
    living,
    broken: broken.length,
    brokenUntil: untils.length === 0 ? null : Math.min(...untils),
    lastSeen: seen.length === 0 ? null : Math.max(...seen),
    announces: heartbeating.has(name),
  };
}

function remoteState(remote: RemoteRecord): readonly RemoteState[] {
  const { state, heldSteps, since, openUntil, throttledUntil } = remote;
  if (state === "closed" && throttledUntil === null) return [];
  return [
    {
      ...remote,
      reason: remote.reason ?? "its reason was not written down",
      by: remote.actor ?? "Holdfast",
      since: since?.getTime() ?? 0,
      openUntil: openUntil?.getTime() ?? null,
      throttledUntil: throttledUntil?.getTime() ?? null,
      probe: remote.probeTaskId,
      due: heldSteps,
    },
  ];
}

/** A cause as a need is called, and the page that shows it. */
function needOf({ kind, about, since, count, sentence, act }: Cause, { remotes }: NeedFacts): Need {
  const name = about ?? "";
  const [agent] = remotes.find(({ service }) => service === about)?.agents ?? [];
  const where: Readonly<Record<CauseKind, readonly [Need["kind"], string]>> = {
    scheduler: ["scheduler", "/system"],
    broker: ["broker", "/system/doctor"],
    replies: ["replies", "/system/doctor"],
    supervisor: ["supervisor", "/system"],
    inbox: ["inbox", "/system"],
    workflowPaused: ["paused", `/workflows/${encodeURIComponent(name)}`],
    agentPaused: ["paused", agentPage(name)],
    remote: ["breaker", agentPage(agent ?? name)],
    agentQueue: ["agentSilent", agentPage(name)],
    agentSilent: ["agentSilent", agentPage(name)],
    circuits: ["breaker", agentPage(name)],
  };
  const [need, page] = where[kind];
  const isPause = kind === "workflowPaused" || kind === "agentPaused";
  return {
    kind: need,
    count: isPause ? 1 : count,
    sentence,
    act,
    since: since === null ? null : at(since),
    page,
  };
}

function haltedTasks({ facts }: NeedFacts): readonly Need[] {
  const count = facts.states.halted ?? 0;
  if (count <= 0) return [];
  const sentence = `${counted(count, "task has", "tasks have")} halted and ${count === 1 ? "waits" : "wait"} for you to resubmit, resolve or undo.`;
  const since = iso(facts.haltedSince);
  return [{ kind: "halted", count, sentence, act: null, since, page: "/failures" }];
}

function deadLetters({ facts }: NeedFacts): readonly Need[] {
  const { deadLetters: count, deadLettersSince } = facts;
  if (count === 0) return [];
  const sentence = `${count >= 1_000 ? "1000 or more messages" : counted(count, "message", "messages")} could not be read or used: replay or discard ${count === 1 ? "it" : "them"}.`;
  return [
    {
      kind: "deadLetters",
      count,
      sentence,
      act: null,
      since: iso(deadLettersSince),
      page: "/system/dead-letters",
    },
  ];
}

/** The tables that say why what was enqueued was refused. */
const refusalsOf = { submission: "state.refusals", signal: "state.signal_refusals" } as const;

function refusedEntries({
  kind,
  submitter,
  code,
  number: count,
  latest,
}: SeenInbox["refused"][number]): Need {
  const sentence = `${counted(count, kind, `${kind}s`)} of ${submitter} in a transaction ${count === 1 ? "was" : "were"} refused with ${code} in the last hour.`;
  const act = `Look why in ${refusalsOf[kind]}, and have that application repaired.`;
  return { kind: "refused", count, sentence, act, since: latest, page: "/system/doctor" };
}

function lateOutbox({ facts: { outboxFor, now } }: NeedFacts): readonly Need[] {
  if (outboxFor === null || outboxFor <= sentWithin) return [];
  const minutes = Math.floor(outboxFor / 60_000);
  const sentence = `The oldest notification has waited for ${counted(minutes, "minute", "minutes")} to be sent.`;
  const since = at(now.getTime() - outboxFor);
  return [{ kind: "outbox", count: 1, sentence, act: null, since, page: "/system" }];
}

function recentAlerts({ kind, alerts, since, detail }: OverviewFacts["alerts"][number]): Need {
  const what = `${counted(alerts, "alert", "alerts")} ${kind} in the last hour`;
  const sentence = detail === null ? `${what}.` : `${what}, the last one: ${detail.slice(0, 200)}`;
  return {
    kind: "alert",
    count: alerts,
    sentence,
    act: null,
    since: iso(new Date(since)),
    page: "/system/doctor",
  };
}

function pausedTasks({
  facts: { pausedTasks: count, tasksPausedSince },
}: NeedFacts): readonly Need[] {
  if (count === 0) return [];
  const sentence = `${counted(count, "task is", "tasks are")} paused: nothing more of ${count === 1 ? "it" : "them"} starts until you resume ${count === 1 ? "it" : "them"}.`;
  const since = iso(tasksPausedSince);
  return [{ kind: "paused", count, sentence, act: null, since, page: "/tasks?state=open" }];
}

const counted = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;
const agentPage = (name: string): string => `/agents/${encodeURIComponent(name)}`;
const at = (instant: Instant): string => new Date(instant).toISOString();
const iso = (instant: Date | null): string | null => instant?.toISOString() ?? null;
