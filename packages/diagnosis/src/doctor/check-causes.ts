import { agentQueue, replyQueue } from "@holdfast/contracts";
import { Fault, type Instant } from "@holdfast/domain";
import type { BrokerFacts } from "@holdfast/messaging";
import type { AgentNeed } from "@holdfast/state-store";
import type { AgentState, Cause, CauseKind, ProcessFacts, SystemFacts } from "../causes/cause.ts";
import { findCauses } from "../causes/find-causes.ts";
import { managed } from "./check-broker.ts";
import { type Finding, fine, wrong } from "./finding.ts";
import type { Facts, StoreFacts } from "./gather-facts.ts";

/** What a cause is called in a report. */
const codes: Readonly<Record<CauseKind, string>> = {
  scheduler: "services.absent",
  broker: "broker.alarms",
  replies: "replies.unproven",
  supervisor: "services.absent",
  workflowPaused: "operators.pauses",
  agentPaused: "operators.pauses",
  remote: "remotes.breaker_open",
  agentQueue: "agents.unroutable",
  agentSilent: "agents.absent",
  circuits: "agents.breakers_open",
};

/** What keeps tasks from going on now, causes before their effects, in the words that `why` and the overview have for it. */
export function checkCauses({ store, broker }: Facts, now: Instant): readonly Finding[] {
  const contents = store instanceof Fault ? null : store.contents;
  const needs = contents?.needs ?? [];
  const causes = findCauses(systemOf({ contents, broker, now }));
  const isHeld = ({ kind, about }: Cause): boolean =>
    kind === "remote" && contents?.breakers.find(({ service }) => service === about)?.held === true;
  const wrongs = causes
    .filter((cause) => !isHeld(cause))
    .map(({ kind, about, sentence, act }) =>
      wrong(codes[kind], `${sentence}${neededBy(needs, about)}`, act),
    );
  const held = causes.filter(isHeld).map(({ sentence }) => fine("remotes.breakers", sentence));
  return [...wrongs, ...held, ...well(wrongs, { contents, broker, needs, held })];
}

const neededBy = (needs: readonly AgentNeed[], about: string | null): string => {
  const need = needs.find(({ agent }) => agent === about);
  return need === undefined ? "" : ` It is needed by ${need.workflows.join(", ")}.`;
};

interface Looked {
  readonly contents: StoreFacts["contents"];
  readonly broker: BrokerFacts | Fault;
}

/** What was looked at and is as it should be. */
function well(
  wrongs: readonly Finding[],
  {
    contents,
    broker,
    needs,
    held,
  }: Looked & { readonly needs: readonly AgentNeed[]; readonly held: readonly Finding[] },
): readonly Finding[] {
  const isFine = (...of: readonly CauseKind[]): boolean =>
    !of.some((kind) => wrongs.some(({ code }) => code === codes[kind]));
  const findings: Finding[] = [];
  if (!(broker instanceof Fault)) {
    if (isFine("broker"))
      findings.push(fine("broker.alarms", "no alarm: the broker takes messages"));
    if (isFine("agentQueue", "agentSilent", "circuits")) {
      findings.push(fine("agents.present", served(needs)));
    }
  }
  if (contents !== null && isFine("remote") && held.length === 0) {
    findings.push(fine("remotes.breakers", "no breaker of a remote service is open"));
  }
  return findings;
}

const served = (needs: readonly AgentNeed[]): string =>
  needs.length === 0
    ? "no workflow is stored yet"
    : `every Agent is served: ${needs.map(({ agent }) => agent).join(", ")}`;

/** A pause is an operator's wish, so nothing is wrong: see `checkPauses`. */
function systemOf({ contents, broker, now }: Looked & { readonly now: Instant }): SystemFacts {
  const common = { now, workflows: [], remotes: contents?.breakers ?? [] };
  const supervisors = contents === null ? null : processes("supervisor", contents.instances);
  const unproven = contents?.unproven ?? [];
  if (broker instanceof Fault) {
    return { ...common, schedulers: null, supervisors, blocked: null, unproven, agents: [] };
  }
  const replies = broker.queues.find(({ name }) => name === replyQueue);
  const isKnown = replies?.state === "there" || replies?.state === "hidden";
  const seen = processes("scheduler", contents?.instances ?? [])?.lastSeen ?? null;
  return {
    ...common,
    schedulers: isKnown ? { living: replies.consumers, lastSeen: seen } : null,
    supervisors,
    blocked: managed(broker.management)?.alarms[0] ?? broker.blocked,
    unproven,
    agents: (contents?.needs ?? []).map((need) => agentOf(need, broker)),
  };
}

/** Null: none has ever announced itself, as before the first start. */
function processes(
  service: "scheduler" | "supervisor",
  instances: NonNullable<StoreFacts["contents"]>["instances"],
): ProcessFacts | null {
  const own = instances.filter((one) => one.service === service);
  if (own.length === 0) return null;
  return {
    living: own.filter(({ living }) => living).length,
    lastSeen: Math.max(...own.map(({ seenAt }) => seenAt.getTime())),
  };
}

/** Who consumes the queue of an Agent is known; an instance whose breaker is open does not, on purpose. */
function agentOf({ agent: name, openSteps, resting }: AgentNeed, broker: BrokerFacts): AgentState {
  const queue = broker.queues.find((one) => one.name === agentQueue(name));
  const isKnown = queue !== undefined && queue.state !== "unseen" && queue.state !== "missing";
  return {
    name,
    paused: null,
    waiting: openSteps,
    isServed: isKnown ? queue.consumers > 0 : null,
    hasQueue: queue?.state !== "missing",
    lastSeen: null,
    broken: isKnown && queue.consumers === 0 && resting > 0 ? { until: null } : null,
  };
}
