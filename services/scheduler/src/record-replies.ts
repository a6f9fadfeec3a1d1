import { agentOfReply, StepReply } from "@holdfast/contracts";
import type { Task } from "@holdfast/domain";
import type { Delivery } from "@holdfast/messaging";
import type { Clock, Failpoint, Logger } from "@holdfast/runtime";
import type { Incident, IncidentOutcome, RejectedReply, StateStore } from "@holdfast/state-store";
import type { StepClaims } from "./claim-steps.ts";
import type { Dispatches } from "./dispatches.ts";
import type { LaneWindows } from "./lane-windows.ts";
import { toIncident } from "./to-incident.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "keepRejectedReplies">;
  readonly apply: StateStore["applyIncidents"];
  readonly dispatches: Dispatches;
  readonly windows: LaneWindows;
  /** What each Agent last said that it takes. */
  readonly takes: Map<string, number>;
  readonly claims: Pick<StepClaims, "optionsFor" | "send">;
  /** There may be steps to claim. */
  readonly wake: () => void;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  readonly actor: string;
  readonly identity: "required" | "trusted";
}

interface Received {
  readonly delivery: Delivery;
  readonly reply: StepReply;
  /** The Agent under whose route the broker let it through. */
  readonly agent: string;
  readonly incident: Incident;
}

/**
 * Records a batch of replies: what counts moves its task on, what does not is kept with the reason.
 * Everything is committed before any of them is acknowledged; a reply seen twice is stale the second
 * time. Unreadable ones go to the dead letters and hold nothing up.
 */
export function recordReplies(deps: Dependencies) {
  const {
    store,
    apply,
    dispatches,
    windows,
    takes,
    claims,
    wake,
    clock,
    log,
    failpoint,
    actor,
    identity,
  } = deps;

  const read = (delivery: Delivery): readonly Received[] => {
    try {
      const reply = StepReply.decode(delivery.body);
      const agent = agentOfReply(delivery.routingKey) ?? "";
      return [{ delivery, reply, agent, incident: toIncident(reply, agent) }];
    } catch (err) {
      log.error({ err, messageId: delivery.messageId }, "reply unreadable");
      delivery.reject();
      return [];
    }
  };

  return async (batch: readonly Delivery[]): Promise<void> => {
    const received = batch.flatMap(read);
    const [anonymous, signed] = partition(
      received,
      ({ delivery }) => identity === "required" && delivery.userId === undefined,
    );
    const names = () => received.map(({ reply }) => reply.step);
    failpoint("scheduler.recording", names);
    await windows.refresh();
    const claim = claims.optionsFor(signed.map(({ agent }) => agent));
    const claimedAt = clock.now();
    const {
      outcomes,
      tasks,
      claims: claimed,
    } = await apply(
      signed.map(({ incident }) => incident),
      claim === null ? { actor } : { actor, claim },
    );
    failpoint("scheduler.recorded", names);
    const rejected = [
      ...anonymous.map((one) => toRejected(one, "no_user_id")),
      ...signed.flatMap((one, index) => rejectionOf(one, outcomes[index])),
    ];
    await store.keepRejectedReplies(rejected);

    for (const { reply, agent } of signed) {
      dispatches.answered({ ...reply, name: reply.step });
      takes.set(agent, reply.takes ?? 1);
    }
    signed.forEach(({ agent }, index) => outcomes[index]?.applied && windows.settled(agent));
    // What comes next is due now, and what waited for room of these Agents has it.
    if (claimed === null) wake();
    else claims.send(claimed, claimedAt);
    for (const one of rejected) log.warn(fieldsOf(one), "reply rejected");
    for (const task of tasks) logTask(log, task);
  };
}

function partition<T>(all: readonly T[], test: (one: T) => boolean): readonly [T[], T[]] {
  const { yes = [], no = [] } = Object.groupBy(all, (one) => (test(one) ? "yes" : "no"));
  return [yes, no];
}

function rejectionOf(
  received: Received,
  outcome: IncidentOutcome | undefined,
): readonly RejectedReply[] {
  return outcome === undefined || outcome.applied ? [] : [toRejected(received, outcome.reason)];
}

const toRejected = ({ delivery, reply }: Received, reason: string): RejectedReply => ({
  taskId: reply.taskId,
  step: reply.step,
  attempt: reply.attempt,
  reason,
  sender: delivery.userId ?? null,
  reply: JSON.stringify(reply),
});

const fieldsOf = ({ taskId, step, attempt, reason }: RejectedReply) => ({
  taskId,
  step,
  attempt,
  reason,
});

function logTask(log: Logger, { taskId, processState, faultCode }: Task): void {
  const fields = { taskId, processState, ...(faultCode === null ? {} : { faultCode }) };
  if (processState === "error") log.error(fields, "task halted");
  else log.debug(fields, "task moved");
}
