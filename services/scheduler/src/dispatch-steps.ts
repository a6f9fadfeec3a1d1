import { limits, requestExchange, StepRequest } from "@holdfast/contracts";
import { ContractFault } from "@holdfast/domain";
import type { Broker } from "@holdfast/messaging";
import type { Clock, Failpoint, Logger } from "@holdfast/runtime";
import {
  type ClaimedStep,
  type Incident,
  type StateStore,
  unusableTasks,
} from "@holdfast/state-store";
import { type BuiltRequest, buildRequests, type RequestStore } from "./build-requests.ts";
import type { Dispatches } from "./dispatches.ts";

interface Dependencies {
  readonly store: RequestStore;
  readonly apply: StateStore["applyIncidents"];
  readonly broker: Pick<Broker, "publish">;
  readonly dispatches: Dispatches;
  /** How many requests the Agents of a lane take in one message; one, where nothing is known. */
  readonly takes: ReadonlyMap<string, number>;
  /** The queue of replies that comes to us first. */
  readonly replyTo: () => string;
  /** The user of our connection: Agents take requests only from Schedulers, and the broker vouches for it. */
  readonly userId: string;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  readonly actor: string;
  /** The largest request that Agents read. */
  readonly maxMessageBytes?: number;
}

/**
 * Publishes claimed steps. The claim is committed: should anything go wrong from here on, the row
 * says what was meant, and any Scheduler relays it or puts it back.
 */
export function dispatchSteps(deps: Dependencies) {
  const { store, apply, broker, dispatches, takes, replyTo, userId, clock, log, failpoint, actor } =
    deps;
  const { maxMessageBytes = limits.messageBytes } = deps;
  const refuse = async (incidents: readonly Incident[]): Promise<void> => {
    if (incidents.length === 0) return;
    const { outcomes } = await apply(incidents, { actor });
    const taskIds = unusableTasks(incidents, outcomes);
    if (taskIds.length > 0) log.error({ taskIds }, "tasks cannot be decided about");
  };

  const publish = async (
    { claim, body }: Extract<BuiltRequest, { body: unknown }>,
    claimedAt: number,
  ): Promise<Incident | null> => {
    // What is left of the time to start, as the state store counts it: no host's clock is asked.
    const left = claim.startBy - claim.now - (clock.now() - claimedAt);
    if (left <= 0) return neverStarted(claim);
    if (body.length > maxMessageBytes) return tooLarge(claim, body.length, maxMessageBytes);
    dispatches.publishing(claim, claimedAt);
    const publishing = broker.publish({
      exchange: requestExchange,
      routingKey: claim.lane,
      type: StepRequest.type,
      messageId: `${claim.taskId}:${claim.name}:${claim.attempt}`,
      correlationId: claim.taskId,
      replyTo: replyTo(),
      userId,
      expirationMs: Math.ceil(left),
      body,
      bundle: { key: `${claim.lane} ${urgency(left)}`, most: takes.get(claim.lane) ?? 1 },
    });
    failpoint("scheduler.publishing", () => [claim.name]);
    const result = await publishing;
    if (result === "stored") dispatches.confirmed(claim);
    else dispatches.failed(claim);
    if (result === "unknown") log.warn(fieldsOf(claim), "request not confirmed");
    if (result !== "unroutable") return null;
    log.warn(fieldsOf(claim), "request not routable");
    return neverStarted(claim);
  };

  return async (claims: readonly ClaimedStep[], claimedAt: number): Promise<void> => {
    const built = await buildRequests(store, claims);
    const published = built
      .filter((one) => "body" in one)
      .map((request) => publish(request, claimedAt));
    await refuse(built.filter((one) => "fault" in one).map(unbuildable));
    const returned = (await Promise.all(published)).filter((incident) => incident !== null);
    failpoint("scheduler.published", () => claims.map(({ name }) => name));
    await refuse(returned);
  };
}

/** Who goes together expires together: nobody with one who has less than half of their time. */
const urgency = (left: number): number => Math.ceil(Math.log2(left));

const fieldsOf = ({ taskId, name: step, attempt, lane: agent }: ClaimedStep) => ({
  taskId,
  step,
  attempt,
  agent,
});

const attemptOf = ({ name: step, attempt, token }: ClaimedStep) => ({ step, attempt, token });

const neverStarted = (claim: ClaimedStep): Incident => ({
  taskId: claim.taskId,
  event: { kind: "neverStarted", ...attemptOf(claim) },
});

/** The templates of a workflow may make much of little: no Agent would read it. */
const tooLarge = (claim: ClaimedStep, bytes: number, most: number): Incident =>
  unbuildable({
    claim,
    fault: new ContractFault(
      "step.request_too_large",
      `The request is ${bytes} bytes long, of at most ${most} (MAX_MESSAGE_BYTES)`,
    ),
  });

/** Nothing was sent, and nothing would be next time: for good, and without effect. */
const unbuildable = ({ claim, fault }: Extract<BuiltRequest, { fault: unknown }>): Incident => ({
  taskId: claim.taskId,
  faultDetail: fault.message,
  event: {
    kind: "failed",
    code: fault.code,
    transient: false,
    attempted: true,
    effect: "none",
    retryAfter: null,
    ...attemptOf(claim),
  },
});
