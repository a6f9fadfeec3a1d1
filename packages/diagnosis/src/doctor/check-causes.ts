import { Fault, type Instant } from "@holdfast/domain";
import type { BrokerFacts } from "@holdfast/messaging";
import type { AgentDemand, PauseInForce } from "@holdfast/state-store";
import type { Cause, CauseKind, SystemFacts } from "../causes/cause.ts";
import { findCauses } from "../causes/find-causes.ts";
import { brokerView } from "../causes/observe-broker.ts";
import {
  emptyInbox,
  type SeenAgent,
  type SeenPause,
  systemFacts,
  unseenBroker,
} from "../causes/system-facts.ts";
import type { Facts, StoreFacts } from "./collect-facts.ts";
import { type Finding, fine, wrong } from "./finding.ts";

/** What a cause is called in a report. */
const codes: Readonly<Record<CauseKind, string>> = {
  scheduler: "services.absent",
  broker: "broker.alarms",
  replies: "replies.unproven",
  supervisor: "services.absent",
  inbox: "inbox.waiting",
  workflowPaused: "operators.pauses",
  agentPaused: "operators.pauses",
  remote: "remotes.breaker_open",
  agentQueue: "agents.unroutable",
  agentSilent: "agents.absent",
  circuits: "agents.breakers_open",
};

/**
 * What keeps tasks from going on now, causes before their effects, in the words that `why` and the
 * overview have for it.
 */
export function checkCauses({ store, broker }: Facts, now: Instant): readonly Finding[] {
  const contents = store instanceof Fault ? null : store.contents;
  const needs = contents?.needs ?? [];
  const causes = findCauses(systemOf({ contents, broker, now }));
  const isHeld = ({ kind, about }: Cause): boolean =>
    kind === "remote" && contents?.breakers.find(({ service }) => service === about)?.held === true;
  const wrongs = causes
    .filter((cause) => !isHeld(cause) && !isPause(cause))
    .map(({ kind, about, sentence, act }) =>
      wrong(codes[kind], `${sentence}${neededBy(needs, about)}`, act),
    );
  const held = causes.filter(isHeld).map(({ sentence }) => fine("remotes.breakers", sentence));
  return [...wrongs, ...held, ...well(wrongs, { contents, broker, needs, held })];
}

/** An operator's request, so nothing is wrong: `checkPauses` names it. */
const isPause = ({ kind }: Cause): boolean => kind === "workflowPaused" || kind === "agentPaused";

const neededBy = (needs: readonly AgentDemand[], about: string | null): string => {
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
  }: Looked & { readonly needs: readonly AgentDemand[]; readonly held: readonly Finding[] },
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
  if (contents !== null && isFine("inbox")) {
    findings.push(fine("inbox.waiting", "what applications enqueue becomes tasks in time"));
  }
  if (contents !== null && isFine("remote") && held.length === 0) {
    findings.push(fine("remotes.breakers", "no breaker of a remote service is open"));
  }
  return findings;
}

const served = (needs: readonly AgentDemand[]): string =>
  needs.length === 0
    ? "no workflow is stored yet"
    : `every Agent is served: ${needs.map(({ agent }) => agent).join(", ")}`;

/** A broker that cannot be looked at is a finding of its own. */
function systemOf({ contents, broker, now }: Looked & { readonly now: Instant }): SystemFacts {
  const needs = contents?.needs ?? [];
  return systemFacts({
    now,
    broker:
      broker instanceof Fault
        ? unseenBroker
        : brokerView(
            broker,
            needs.map(({ agent }) => agent),
          ),
    instances: contents?.instances ?? null,
    inbox: contents?.inbox ?? emptyInbox,
    unproven: contents?.paths.unproven ?? [],
    outages: contents?.paths.outages ?? [],
    pauses: (contents?.pauses.inForce ?? []).map(seenPause),
    agents: needs.map(seenAgent),
    remotes: contents?.breakers ?? [],
  });
}

const seenPause = ({ kind, name, actor: by, reason, pausedAt }: PauseInForce): SeenPause => ({
  kind,
  name,
  paused: { at: pausedAt.getTime(), by, reason },
});

const seenAgent = (need: AgentDemand): SeenAgent => ({
  name: need.agent,
  waiting: need.openSteps,
  living: need.living,
  broken: need.resting,
  brokenUntil: need.restingUntil,
  lastSeen: need.lastSeen,
  announces: need.announces,
});
