import type { Instant, Milliseconds } from "@holdfast/domain";
import type { ListedAgent, OverviewFacts, RemoteRecord, ShownPause } from "@holdfast/state-store";

/** Something that waits for an operator, with the page of the console that shows it. */
export interface Need {
  readonly kind:
    | "halted"
    | "breaker"
    | "deadLetters"
    | "paused"
    | "agentSilent"
    | "outbox"
    | "alert";
  readonly count: number;
  /** One sentence in plain English. */
  readonly sentence: string;
  /** ISO 8601; null: not known. */
  readonly since: string | null;
  readonly page: string;
}

/** What is looked at to find what needs an operator. */
export interface NeedFacts {
  readonly facts: OverviewFacts;
  readonly agents: readonly ListedAgent[];
  readonly remotes: readonly RemoteRecord[];
  /** The Agents that have ever sent a heartbeat: others are not missed. */
  readonly heartbeating: ReadonlySet<string>;
}

/** Milliseconds after which a notification should have been sent. */
const sentWithin: Milliseconds = 60_000;

/** What needs an operator, the most urgent first. Pure. */
export const findNeeds = (found: NeedFacts): readonly Need[] => [
  ...haltedTasks(found),
  ...found.agents.flatMap((agent) => silentAgent(agent, found.heartbeating)),
  ...found.remotes.flatMap(openBreaker),
  ...deadLetters(found),
  ...lateOutbox(found),
  ...found.facts.alerts.map(recentAlerts),
  ...found.facts.pauses.map(pauseInForce),
  ...pausedTasks(found),
];

function haltedTasks({ facts }: NeedFacts): readonly Need[] {
  const count = facts.states.error ?? 0;
  if (count <= 0) return [];
  const sentence = `${counted(count, "task has", "tasks have")} halted and ${count === 1 ? "waits" : "wait"} for you to resubmit, resolve or undo.`;
  return [{ kind: "halted", count, sentence, since: iso(facts.haltedSince), page: "/failures" }];
}

function silentAgent(
  { name, living, due, inFlight, instances }: ListedAgent,
  heartbeating: ReadonlySet<string>,
): readonly Need[] {
  const count = due + inFlight;
  if (living > 0 || count === 0 || !heartbeating.has(name)) return [];
  const lastSeen = instances.map((one) => one.lastSeen);
  const sentence = `The Agent ${name} is silent, and ${counted(count, "step waits", "steps wait")} for it.`;
  const since = lastSeen.length === 0 ? null : at(Math.max(...lastSeen));
  return [{ kind: "agentSilent", count, sentence, since, page: agentPage(name) }];
}

function openBreaker(remote: RemoteRecord): readonly Need[] {
  const { service, state, held, heldSteps, since, agents } = remote;
  if (state !== "open" || (heldSteps === 0 && !held)) return [];
  const holder = held ? "An operator holds the breaker" : "The breaker";
  const sentence = `${holder} of ${service} ${held ? "open" : "is open"}: it holds back ${counted(heldSteps, "due step", "due steps")}.`;
  return [
    {
      kind: "breaker",
      count: heldSteps,
      sentence,
      since: iso(since),
      page: agentPage(agents[0] ?? service),
    },
  ];
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
      since: iso(deadLettersSince),
      page: "/system/dead-letters",
    },
  ];
}

function lateOutbox({ facts: { outboxFor, now } }: NeedFacts): readonly Need[] {
  if (outboxFor === null || outboxFor <= sentWithin) return [];
  const minutes = Math.floor(outboxFor / 60_000);
  const sentence = `The oldest notification has waited for ${counted(minutes, "minute", "minutes")} to be sent.`;
  const since = at(now.getTime() - outboxFor);
  return [{ kind: "outbox", count: 1, sentence, since, page: "/system" }];
}

function recentAlerts({ kind, alerts, since, detail }: OverviewFacts["alerts"][number]): Need {
  const what = `${counted(alerts, "alert", "alerts")} ${kind} in the last hour`;
  const sentence = detail === null ? `${what}.` : `${what}, the last one: ${detail.slice(0, 200)}`;
  return {
    kind: "alert",
    count: alerts,
    sentence,
    since: iso(new Date(since)),
    page: "/system/doctor",
  };
}

function pauseInForce({ kind, name, actor, reason, since }: ShownPause): Need {
  const what = kind === "agent" ? "Agent" : "workflow";
  const sentence = `The ${what} ${name} is paused by ${actor}: ${reason}`;
  const page = kind === "agent" ? agentPage(name) : `/workflows/${encodeURIComponent(name)}`;
  return { kind: "paused", count: 1, sentence, since: iso(new Date(since)), page };
}

function pausedTasks({
  facts: { pausedTasks: count, tasksPausedSince },
}: NeedFacts): readonly Need[] {
  if (count === 0) return [];
  const sentence = `${counted(count, "task is", "tasks are")} paused: nothing more of ${count === 1 ? "it" : "them"} starts until you resume ${count === 1 ? "it" : "them"}.`;
  return [
    { kind: "paused", count, sentence, since: iso(tasksPausedSince), page: "/tasks?state=open" },
  ];
}

const counted = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;
const agentPage = (name: string): string => `/agents/${encodeURIComponent(name)}`;
const at = (instant: Instant): string => new Date(instant).toISOString();
const iso = (instant: Date | null): string | null => instant?.toISOString() ?? null;
