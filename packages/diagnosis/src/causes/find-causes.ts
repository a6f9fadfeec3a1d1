import type { Instant } from "@holdfast/domain";
import { count } from "../print/count.ts";
import { instant, pausedBy } from "../print/instant.ts";
import {
  type AgentState,
  type Cause,
  type CauseKind,
  causeKinds,
  type ProcessFacts,
  type RemoteState,
  type SystemFacts,
} from "./cause.ts";

/** What is not shown beside what explains it: no reply is recorded before that is repaired. */
const hidden: Readonly<Partial<Record<CauseKind, readonly CauseKind[]>>> = {
  scheduler: ["replies"],
  broker: ["replies"],
};

/**
 * All that keeps tasks from going on, causes before their effects, each with the one act that
 * helps. Pure.
 */
export function findCauses(facts: SystemFacts): readonly Cause[] {
  const found = [
    ...schedulerCause(facts),
    ...brokerCause(facts),
    ...repliesCauses(facts),
    ...supervisorCause(facts),
    ...inboxCause(facts),
    ...facts.workflows.map(({ name, paused }) => pauseCause("workflow", { name, paused }, facts)),
    ...facts.remotes.map((remote) => remoteCause(remote, facts.now)),
    ...facts.agents.flatMap((agent) => agentCauses(agent, facts)),
  ];
  const kinds = new Set(found.flatMap(({ kind }) => hidden[kind] ?? []));
  return found
    .filter(({ kind }) => !kinds.has(kind))
    .toSorted((a, b) => causeKinds.indexOf(a.kind) - causeKinds.indexOf(b.kind));
}

/** Whether such processes are there; one that is not looked at is no cause. */
const isMissing = (processes: ProcessFacts | null): processes is ProcessFacts =>
  processes !== null && processes.living === 0;

const lastSeenAt = ({ lastSeen }: ProcessFacts, now: Instant): string =>
  lastSeen === null ? "" : `, the last was seen at ${instant(lastSeen, now)}`;

function schedulerCause({ schedulers, now }: SystemFacts): readonly Cause[] {
  if (!isMissing(schedulers)) return [];
  const seen = lastSeenAt(schedulers, now);
  const sentence = `No Scheduler runs${seen}: no step begins, no reply is recorded, and Agents cannot report.`;
  const since = schedulers.lastSeen;
  return [{ kind: "scheduler", about: null, since, count: 0, sentence, act: "Start a Scheduler." }];
}

function supervisorCause({ supervisors, now }: SystemFacts): readonly Cause[] {
  if (!isMissing(supervisors)) return [];
  const seen = lastSeenAt(supervisors, now);
  const sentence = `No Supervisor runs${seen}: attempts that take too long are not noticed.`;
  const since = supervisors.lastSeen;
  return [
    { kind: "supervisor", about: null, since, count: 0, sentence, act: "Start a Supervisor." },
  ];
}

/**
 * Milliseconds after which a submission should be a task, and after which that is the fault of
 * those who make it one.
 */
const takenWithin = 10_000;
const takenAtLast = 60_000;

function inboxCause({ inbox, takers, now }: SystemFacts): readonly Cause[] {
  const { waiting, waitingFor } = inbox;
  if (waitingFor === null || waitingFor < takenWithin) return [];
  const since = now - waitingFor;
  const wait = `${count(waiting, "submission")} of applications ${waiting === 1 ? "waits" : "wait"} in the inbox since ${instant(since, now)}`;
  const common = { kind: "inbox", about: null, since, count: waiting } as const;
  if (isMissing(takers)) {
    const sentence = `No process of submission makes tasks${lastSeenAt(takers, now)}: ${wait}.`;
    const act = "Start a process of submission with ROLE=all or ROLE=tasks.";
    return [{ ...common, sentence, act }];
  }
  if (waitingFor < takenAtLast) return [];
  const sentence = `${wait}, although submission runs: its processes fail, or are too slow.`;
  const act =
    "Look in the log of submission for failures of the round inbox; if there is none, run more of its processes.";
  return [{ ...common, sentence, act }];
}

function brokerCause({ broker: { unreachable, blocked } }: SystemFacts): readonly Cause[] {
  const common = { kind: "broker", about: null, since: null, count: 0 } as const;
  if (unreachable !== null) {
    const sentence = `The broker cannot be reached from here (${unreachable}): if no Scheduler reaches it either, no step begins, and no failure is counted.`;
    const act = "Start the broker, or repair the way to it.";
    return [{ ...common, sentence, act }];
  }
  if (blocked === null) return [];
  const sentence = `The broker takes no messages (${blocked}), so no step begins and no failure is counted.`;
  const act =
    "Free disk or memory of the broker: what was meant to be sent is sent then by itself.";
  return [{ ...common, sentence, act }];
}

/** One is enough: all replies go the same way. */
function repliesCauses({ unproven, outages, now }: SystemFacts): readonly Cause[] {
  const [path] = unproven;
  if (path !== undefined) return [repliesCause(path, now)];
  return outages.slice(0, 1).map(({ part, since }): Cause => {
    const sentence = `What is sent as ${part} may have arrived late since ${instant(since, now)}: what is silent waits, and no failure is counted.`;
    const act = `Look at the load of the broker, the store and the Schedulers: holdfast doctor does.`;
    return { kind: "replies", about: null, since, count: 0, sentence, act };
  });
}

function repliesCause(path: SystemFacts["unproven"][number], now: Instant): Cause {
  const { queue, trouble, silentSince: since } = path;
  const probe = trouble === null ? "" : ` (of the last probe to ${queue}: ${trouble})`;
  const sentence = `Whether replies arrive is not known since ${instant(since, now)}${probe}: what is silent waits, and no failure is counted.`;
  const act = "Repair the way of replies: holdfast doctor looks at the broker and its consumers.";
  return { kind: "replies", about: queue, since, count: 0, sentence, act };
}

function pauseCause(
  kind: "workflow" | "agent",
  { name, paused }: Pick<AgentState, "name"> & SystemFacts["workflows"][number],
  { now }: SystemFacts,
): Cause {
  const [words, route] = kind === "agent" ? ["Agent", "agents"] : ["workflow", "workflows"];
  return {
    kind: kind === "agent" ? "agentPaused" : "workflowPaused",
    about: name,
    since: paused.at,
    count: 0,
    sentence: `The ${words} ${name} is paused by ${pausedBy(paused, now)}.`,
    act: `To resume it: POST /v1/${route}/${encodeURIComponent(name)}/resume.`,
  };
}

/** What a remote service said of itself last stands before what Holdfast makes of it. */
function remoteCause(remote: RemoteState, now: Instant): Cause {
  const { service, since, due, held } = remote;
  const release = `POST /v1/remotes/${encodeURIComponent(service)}/release`;
  const holds = `It holds back ${count(due, "due step")}`;
  const common = { kind: "remote", about: service, since, count: due } as const;
  if (held) {
    const sentence = `${remote.by} has held the remote service ${service} since ${instant(since, now)}: ${remote.reason}. ${holds}, until an operator releases it.`;
    return { ...common, sentence, act: `To release it: ${release}.` };
  }
  if (remote.state === "closed") {
    const sentence = `The remote service ${service} asked to be left alone until ${instant(remote.throttledUntil, now)}. ${holds}, which are released in growing numbers then.`;
    return { ...common, sentence, act: `To release them at once: ${release}.` };
  }
  const next =
    remote.state === "half-open"
      ? `One step is tried now, of task ${remote.probe}`
      : `From ${instant(remote.openUntil, now)} on one step is tried`;
  const sentence = `The remote service ${service} fails${faultOf(remote, now)}. Its breaker is ${remote.state} since ${instant(since, now)}: ${remote.reason}. ${holds}. ${next}.`;
  const act = `Repair it: the steps follow as soon as one is answered. To release them before: ${release}.`;
  return { ...common, sentence, act };
}

function faultOf({ lastFault }: RemoteState, now: Instant): string {
  if (lastFault === null) return "";
  const { code, detail, at } = lastFault;
  return ` with ${code}${detail === null ? "" : `: ${detail}`}, last at ${instant(at, now)}`;
}

/** What is the matter with one Agent: what explains the rest comes alone. */
function agentCauses(agent: AgentState, facts: SystemFacts): readonly Cause[] {
  const { name, paused, lastSeen, broken } = agent;
  const { now } = facts;
  const pause = paused === null ? [] : [pauseCause("agent", { name, paused }, facts)];
  const waiting = agent.waiting ?? 0;
  const waits =
    waiting === 0
      ? ""
      : `, and ${count(waiting, "step")} ${waiting === 1 ? "waits" : "wait"} for it`;
  const common = { about: name, since: lastSeen, count: waiting };
  if (!agent.hasQueue) {
    const sentence = `The Agent ${name} has no queue (agent.${name}), so no request can reach it${waits}.`;
    const act = `Start the Agent ${name}, which declares it, or import broker definitions that name it.`;
    return [...pause, { ...common, kind: "agentQueue", sentence, act }];
  }
  const isLeftAlone = facts.remotes.some(({ agents }) => agents.includes(name));
  if (broken !== null && !isLeftAlone) {
    const until = broken.until === null ? "" : ` until ${instant(broken.until, now)}`;
    const sentence = `The breaker of every instance of the Agent ${name} is open${until}${waits}.`;
    const act = "Repair the remote service behind it: then each instance probes it by itself.";
    return [...pause, { ...common, kind: "circuits", sentence, act }];
  }
  if (agent.isServed === false && broken === null) {
    const seen = lastSeen === null ? "" : `, the last was seen at ${instant(lastSeen, now)}`;
    const sentence = `No process serves the Agent ${name}${seen}${waits}.`;
    return [
      ...pause,
      { ...common, kind: "agentSilent", sentence, act: `Start the Agent ${name}.` },
    ];
  }
  return pause;
}
