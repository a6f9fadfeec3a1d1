import { type AgentPlan, agentsOfLane, laneLimit } from "@holdfast/domain";
import type { StepFacts } from "@holdfast/state-store";
import type { CauseKind } from "../causes/cause.ts";
import { count } from "../print/count.ts";
import { instant } from "../print/instant.ts";
import { causesOfStep, wordsOf } from "./causes-of-step.ts";
import { type Facts, laneOf } from "./facts.ts";
import { turnOf } from "./turn-of.ts";
import { alertAfter, countedFaultOf, faultOf, queueMissing, stepOf, waitLimit } from "./words.ts";

/** The default of MAX_IN_FLIGHT: taken for Schedulers that have not announced theirs. */
const defaultMaxInFlight = 200;

/**
 * Why no Scheduler has claimed a pending step: the first cause of the one order that all pages
 * have. A delay of its own stands behind what no Scheduler can do anything about, and before what
 * its Agents lack.
 */
export function explainPending(step: StepFacts, facts: Facts): string {
  const { shared, ofAgents } = causesOfStep(step, facts);
  const system = shared.find(({ kind }) => holdsClaims.has(kind));
  const remote = shared.find(({ kind }) => kind === "remote");
  const pauses = ofAgents.filter((cause) => cause?.kind === "agentPaused");
  if (system !== undefined) return `${waitsFor(step)} ${wordsOf(system)}`;
  if (pauses.length === ofAgents.length) return `${waitsFor(step)} ${agentReasons(step, facts)}`;
  return (
    releasedReason(step) ??
    delayReason(step, facts) ??
    (remote === undefined ? null : `${waitsFor(step)} ${wordsOf(remote)}`) ??
    prefixed(step, agentReasons(step, facts)) ??
    turnReason(step, facts)
  );
}

/** What keeps Schedulers from claiming steps, whichever Agent they are for. */
const holdsClaims: ReadonlySet<CauseKind> = new Set(["scheduler", "broker", "workflowPaused"]);

const waitsFor = (step: StepFacts): string => `It waits for ${stepOf(step)}.`;

const prefixed = (step: StepFacts, reason: string | null): string | null =>
  reason === null ? null : `${waitsFor(step)} ${reason}`;

/** What keeps each Agent that may take it from doing so; null: one of them can. */
function agentReasons(step: StepFacts, facts: Facts): string | null {
  const { ofAgents } = causesOfStep(step, facts);
  const reasons = agentsOfLane(step.agent).map((agent, index) => {
    const cause = ofAgents[index] ?? null;
    return cause === null ? limitReason({ ...step, agent }, facts) : wordsOf(cause);
  });
  return reasons.every((reason) => reason !== null) ? reasons.join(" ") : null;
}

function releasedReason(step: StepFacts): string | null {
  return step.notBefore === Number.POSITIVE_INFINITY
    ? `${waitsFor(step)} Its workflow was paused until a moment ago, and a Scheduler takes it up again within seconds.`
    : null;
}

/** What the definition says of a step that asks an Agent; undefined: it is not known. */
function agentPlanOf({ name }: StepFacts, { plan }: Facts): AgentPlan | undefined {
  const found = plan?.steps.get(name);
  return found !== undefined && "retry" in found ? found : undefined;
}

/**
 * How long a step may wait that is requeued: its own setting counts, then the limit of its task.
 */
function requeueLimit(step: StepFacts, facts: Facts): string {
  const most = agentPlanOf(step, facts)?.maxRequeues;
  const limit = waitLimit(facts);
  if (most === undefined) return limit;
  const own = `at most ${count(most, "time")} in a row, and then the task halts`;
  return facts.completeBy === null ? own : `${own}, and ${limit}`;
}

/** How an operator ends a delay that no condition ends sooner. */
const tryNow = (step: StepFacts): string =>
  `To retry it at once: POST /v1/tasks/:id/steps/${step.name}/retry`;

function delayReason(step: StepFacts, facts: Facts): string | null {
  const { now, broker } = facts;
  const { notBefore, failureCount, requeueCount } = step;
  if (notBefore === null || notBefore <= now) return null;
  const until = instant(notBefore, now);
  const failures = agentPlanOf(step, facts)?.retry.failures;
  const failed = `failed ${failureCount}${failures === undefined ? "" : ` of ${failures}`} times (${countedFaultOf(step)})`;
  if (step.lastAction === "coolDown") {
    return `It waits for ${stepOf(step)}, which cools down until ${until}, having ${failed}. ${tryNow(step)}.`;
  }
  if (step.lastAction === "retry") {
    return `It waits for ${stepOf(step)}, which backs off until ${until}, having ${failed}. ${tryNow(step)}.`;
  }
  const agents = agentsOfLane(step.agent);
  const isMissing = agents.every((agent) => broker.consumers[agent] === null);
  if (step.lastAction === "requeue" && isMissing) {
    return `It waits for ${stepOf(step)}, which was requeued ${count(requeueCount, "time")} in a row (${faultOf(step)}) and is delayed until ${until}: ${queueMissing(step)}.`;
  }
  return step.lastAction === "requeue"
    ? `It waits for ${stepOf(step)}, which was requeued ${count(requeueCount, "time")} in a row (${faultOf(step)}) and is delayed until ${until}: no failure of the step is counted, and it is tried again until an Agent does it, ${requeueLimit(step, facts)}; ${alertAfter}. ${tryNow(step)}.`
    : `It waits for ${stepOf(step)}, which is not due until ${until}.`;
}

/** Why an Agent gets no more steps: it has as many as it may have; null: it has room. */
function limitReason(step: StepFacts, facts: Facts): string | null {
  const { inFlight, instances, slots } = laneOf(facts, step.agent);
  const { maxInFlight, schedulers, said } = limitsOf(facts);
  const { all } = laneLimit({
    maxInFlight,
    schedulers,
    consumers: facts.broker.consumers[step.agent] ?? Math.max(1, instances),
    advertised: slots,
  });
  if (inFlight < all) return null;
  const full = `The Agent ${step.agent} has its full ${count(inFlight, "step")} in flight`;
  const why =
    all < maxInFlight * schedulers
      ? `${count(all, "step")} for the ${count(
          slots.reduce((sum, one) => sum + one, 0),
          "slot",
        )} of ${count(instances, "instance")}; more instances or a higher CONCURRENCY would take more`
      : said;
  return `${full} (${why}). ${turnOf(step)}`;
}

/**
 * How many steps of one Agent the Schedulers may have in flight: their number, the MAX_IN_FLIGHT of
 * each, and both in words.
 */
function limitsOf({ broker, inFlightLimits }: Facts): {
  readonly maxInFlight: number;
  readonly schedulers: number;
  readonly said: string;
} {
  const schedulers = Math.max(1, broker.schedulers ?? inFlightLimits.length);
  const each = schedulers === 1 ? "" : ` for each of ${schedulers} Schedulers`;
  const [first] = inFlightLimits;
  if (first === undefined) {
    const said = `MAX_IN_FLIGHT is ${defaultMaxInFlight}${each}, unless it is set: no Scheduler has announced its own`;
    return { maxInFlight: defaultMaxInFlight, schedulers, said };
  }
  if (inFlightLimits.every((one) => one === first)) {
    return { maxInFlight: first, schedulers, said: `MAX_IN_FLIGHT is ${first}${each}` };
  }
  const maxInFlight = inFlightLimits.reduce((sum, one) => sum + one, 0) / inFlightLimits.length;
  return {
    maxInFlight,
    schedulers,
    said: `the Schedulers have a MAX_IN_FLIGHT of ${inFlightLimits.join(", ")}`,
  };
}

const turnReason = (step: StepFacts, facts: Facts): string =>
  `It waits for ${stepOf(step)}, which is due since ${instant(step.notBefore, facts.now)}: a Scheduler claims it when its turn comes, with ${inFlightOf(step, facts)} of its Agent in flight. ${turnOf(step)}`;

const inFlightOf = (step: StepFacts, facts: Facts): number =>
  agentsOfLane(step.agent).reduce((sum, agent) => sum + laneOf(facts, agent).inFlight, 0);
