import { agentsOfLane, laneLimit } from "@holdfast/domain";
import type { StepFacts } from "@holdfast/state-store";
import { count } from "../print/count.ts";
import { type Facts, laneOf } from "./facts.ts";
import { turnOf } from "./turn-of.ts";
import { faultOf, instant, pausedBy, queueMissing, stepOf } from "./words.ts";

/** The default of WINDOW: taken for Schedulers that have not announced theirs. */
const usualWindow = 200;

/**
 * Why no Scheduler has claimed a pending step. The first reason that holds counts. A step of a pool waits for its
 * Agents only if there is a reason for each.
 */
export function explainPending(step: StepFacts, facts: Facts): string {
  /** What holds for each Agent that may take it. */
  const ofEach = (reason: (one: StepFacts) => string | null): string | null => {
    const reasons = agentsOfLane(step.agent).map((agent) => reason({ ...step, agent }));
    return reasons.every((one) => one !== null) ? reasons.join(" ") : null;
  };
  return (
    workflowReason(step, facts) ??
    ofEach((one) => agentPaused(one, facts)) ??
    delayReason(step, facts) ??
    breakerReason(step, facts) ??
    ofEach((one) => agentPaused(one, facts) ?? unableReason(one, facts)) ??
    turnReason(step, facts)
  );
}

const unableReason = (step: StepFacts, facts: Facts): string | null =>
  brokerReason(step, facts) ?? agentReason(step, facts);

function agentPaused(step: StepFacts, facts: Facts): string | null {
  const { paused } = laneOf(facts, step.agent);
  return paused === null
    ? null
    : `It waits for ${stepOf(step)}: the Agent is paused by ${pausedBy(paused, facts.now)}.`;
}

function workflowReason(step: StepFacts, facts: Facts): string | null {
  if (facts.workflowPaused !== null) {
    return `It waits for ${stepOf(step)}: the workflow ${facts.workflow} is paused by ${pausedBy(facts.workflowPaused, facts.now)}.`;
  }
  if (step.notBefore === Number.POSITIVE_INFINITY) {
    return `It waits for ${stepOf(step)}: its workflow was paused until a moment ago, and a Scheduler takes it up again within seconds.`;
  }
  return null;
}

/** How an operator ends a delay that no condition ends sooner. */
const tryNow = (step: StepFacts): string =>
  `To retry it at once: POST /v1/tasks/:id/steps/${step.name}/retry`;

function delayReason(step: StepFacts, { now, plan, broker }: Facts): string | null {
  const { notBefore, failureCount, requeueCount } = step;
  if (notBefore === null || notBefore <= now) return null;
  const until = instant(notBefore, now);
  const failures = plan?.steps.get(step.name)?.retry.failures;
  const failed = `failed ${failureCount}${failures === undefined ? "" : ` of ${failures}`} times (${faultOf(step)})`;
  if (step.lastAction === "coolDown") {
    return `It waits for ${stepOf(step)}, which cools down until ${until}, having ${failed}. ${tryNow(step)}.`;
  }
  if (step.lastAction === "retry") {
    return `It waits for ${stepOf(step)}, which backs off until ${until}, having ${failed}. ${tryNow(step)}.`;
  }
  const agents = agentsOfLane(step.agent);
  const isMissing =
    broker !== null && agents.every((agent) => (broker.consumers[agent] ?? null) === null);
  if (step.lastAction === "requeue" && isMissing) {
    return `It waits for ${stepOf(step)}, which was requeued ${count(requeueCount, "time")} in a row (${faultOf(step)}) and is delayed until ${until}: ${queueMissing(step)}.`;
  }
  return step.lastAction === "requeue"
    ? `It waits for ${stepOf(step)}, which was requeued ${count(requeueCount, "time")} in a row (${faultOf(step)}) and is delayed until ${until}: no failure of the step is counted. ${tryNow(step)}.`
    : `It waits for ${stepOf(step)}, which is not due until ${until}.`;
}

/** Why the breaker of the remote service holds the step back, and who ends that when. */
function breakerReason(step: StepFacts, facts: Facts): string | null {
  // All Agents of a pool share one remote service.
  const [agent = step.agent] = agentsOfLane(step.agent);
  const { breaker } = laneOf(facts, agent);
  if (breaker === null) return null;
  const { service, state, reason, by, held, openUntil, throttledUntil, probe, due } = breaker;
  const waits = `It waits for ${stepOf(step)}, which is due:`;
  const holds = `It holds back ${count(due, "due step")} of the Agent`;
  const closeIt = `To close it: POST /v1/remotes/${service}/close`;
  const since = instant(breaker.since, facts.now);
  if (held) {
    return `${waits} ${by} opened the breaker of the remote service ${service} at ${since}: ${reason}. ${holds}, until an operator closes it. ${closeIt}.`;
  }
  if (state === "half-open") {
    return `${waits} the breaker of the remote service ${service} is half-open since ${since}. One step is tried, of task ${probe}; when it is answered, the others follow. ${holds}. ${closeIt}.`;
  }
  if (state === "open") {
    return `${waits} the breaker of the remote service ${service} is open since ${since}: ${reason}. ${holds}. From ${instant(openUntil, facts.now)} on one step is tried. ${closeIt}.`;
  }
  return `${waits} the remote service ${service} asked to be left alone until ${instant(throttledUntil, facts.now)}. Then the steps are released in growing numbers. ${holds}. ${closeIt}.`;
}

function brokerReason(step: StepFacts, facts: Facts): string | null {
  const { broker } = facts;
  if (broker === null) return null;
  if (broker.schedulers === 0) {
    return `It waits for ${stepOf(step)}, which is due: no Scheduler runs that could claim it.`;
  }
  if (broker.blocked !== null) {
    return `It waits for ${stepOf(step)}, which is due: the broker takes no messages (${broker.blocked}).`;
  }
  const consumers = broker.consumers[step.agent] ?? null;
  if (consumers === null) {
    return `It waits for ${stepOf(step)}, which is due: the Agent has no queue, so no request can reach it: ${queueMissing(step)}.`;
  }
  // An instance whose breaker is open does not consume on purpose.
  if (consumers === 0 && laneOf(facts, step.agent).broken === 0) {
    return `It waits for ${stepOf(step)}, which is due: the Agent has no consumer; start it.`;
  }
  return null;
}

function agentReason(step: StepFacts, facts: Facts): string | null {
  const { instances, broken, brokenUntil } = laneOf(facts, step.agent);
  if (instances > 0 && broken === instances) {
    return `It waits for ${stepOf(step)}, which is due: the breaker of every instance of the Agent is open until ${instant(brokenUntil, facts.now)}.`;
  }
  return limitReason(step, facts);
}

function limitReason(step: StepFacts, facts: Facts): string | null {
  const { inFlight, instances, slots } = laneOf(facts, step.agent);
  const { window, schedulers, said } = windowsOf(facts);
  const { all } = laneLimit({
    window,
    schedulers,
    consumers: facts.broker?.consumers[step.agent] ?? Math.max(1, instances),
    advertised: slots,
  });
  if (inFlight < all) return null;
  const full = `It waits for ${stepOf(step)}, which is due: the Agent has its full ${count(inFlight, "step")} in flight`;
  const why =
    all < window * schedulers
      ? `${count(all, "step")} for the ${count(
          slots.reduce((sum, one) => sum + one, 0),
          "slot",
        )} of ${count(instances, "instance")}; more instances or a higher CONCURRENCY would take more`
      : said;
  return `${full} (${why}). ${turnOf(step)}`;
}

/** How many steps of one Agent the Schedulers may have in flight: their number, the WINDOW of each, and both in words. */
function windowsOf({ broker, windows }: Facts): {
  readonly window: number;
  readonly schedulers: number;
  readonly said: string;
} {
  const schedulers = Math.max(1, broker?.schedulers ?? windows.length);
  const each = schedulers === 1 ? "" : ` for each of ${schedulers} Schedulers`;
  const [first] = windows;
  if (first === undefined) {
    const said = `WINDOW is ${usualWindow}${each}, unless it is set: no Scheduler has announced its own`;
    return { window: usualWindow, schedulers, said };
  }
  if (windows.every((one) => one === first)) {
    return { window: first, schedulers, said: `WINDOW is ${first}${each}` };
  }
  const window = windows.reduce((sum, one) => sum + one, 0) / windows.length;
  return { window, schedulers, said: `the Schedulers have a WINDOW of ${windows.join(", ")}` };
}

const turnReason = (step: StepFacts, facts: Facts): string =>
  `It waits for ${stepOf(step)}, which is due since ${instant(step.notBefore, facts.now)}: a Scheduler claims it when its turn comes, with ${inFlightOf(step, facts)} of its Agent in flight. ${turnOf(step)}`;

const inFlightOf = (step: StepFacts, facts: Facts): number =>
  agentsOfLane(step.agent).reduce((sum, agent) => sum + laneOf(facts, agent).inFlight, 0);
