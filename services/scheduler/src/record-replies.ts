import { agentOfReply, StepReply } from "@holdfast/contracts";
import type { Fault, Task } from "@holdfast/domain";
import type { Delivery } from "@holdfast/messaging";
import type { Clock, Failpoint, Logger } from "@holdfast/runtime";
import type { Incident, IncidentOutcome, RejectedReply, StateStore } from "@holdfast/state-store";
import type { StepClaims } from "./claim-steps.ts";
import type { Dispatches } from "./dispatches.ts";
import type { LaneWindows } from "./lane-windows.ts";
import { readEach, unreadableFields } from "./read-each.ts";
import { faultOfOutput, toIncident } from "./to-incident.ts";

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
  /** Why its output is refused; null: there is none, or it is as it should be. */
  readonly outputFault: Fault | null;
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

  /** Of replies that are applied and whose rejection could not be kept yet: they are not applied again. */
  const applied = new WeakMap<Delivery, RejectedReply | null>();

  const readAll = (batch: readonly Delivery[]): readonly Received[] => {
    const { readable, unreadable } = readEach(batch, read);
    if (unreadable.length > 0) log.error(unreadableFields(unreadable), "reply unreadable");
    for (const { delivery } of unreadable) delivery.reject();
    return readable;
  };

  const keep = async (
    batch: readonly Delivery[],
    rejections: ReadonlyMap<Delivery, RejectedReply>,
  ): Promise<void> => {
    const rejected = batch.flatMap(
      (delivery) => rejections.get(delivery) ?? applied.get(delivery) ?? [],
    );
    try {
      await store.keepRejectedReplies(rejected);
    } catch (error) {
      for (const delivery of batch) {
        applied.set(delivery, rejections.get(delivery) ?? applied.get(delivery) ?? null);
      }
      throw error;
    }
    for (const one of rejected) log.warn(fieldsOf(one), "reply rejected");
  };

  /** Applies replies; resolves to what is to be kept of those that did not count. */
  const record = async (
    received: readonly Received[],
  ): Promise<ReadonlyMap<Delivery, RejectedReply>> => {
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

    signed.forEach(({ reply, agent }, index) => {
      dispatches.answered({ ...reply, name: reply.step });
      if (!outcomes[index]?.applied) return;
      takes.set(agent, reply.takes ?? 1);
      windows.settled(agent);
    });
    // What comes next is due now, and what waited for room of these Agents has it.
    if (claimed === null) wake();
    else claims.send(claimed, claimedAt);
    for (const task of tasks) logTask(log, task);
    return new Map([
      ...anonymous.map((one) => [one.delivery, toRejected(one, "no_user_id")] as const),
      ...signed.flatMap((one, index) => rejectionOf(one, outcomes[index])),
    ]);
  };

  return async (batch: readonly Delivery[]): Promise<void> => {
    const received = readAll(batch.filter((delivery) => !applied.has(delivery)));
    await keep(batch, received.length === 0 ? new Map() : await record(received));
  };
}

function read(delivery: Delivery): Received {
  const reply = StepReply.decode(delivery.body);
  const agent = agentOfReply(delivery.routingKey) ?? "";
  const outputFault = faultOfOutput(reply);
  return { delivery, reply, agent, outputFault, incident: toIncident(reply, agent, outputFault) };
}

function partition<T>(all: readonly T[], test: (one: T) => boolean): readonly [T[], T[]] {
  const { yes = [], no = [] } = Object.groupBy(all, (one) => (test(one) ? "yes" : "no"));
  return [yes, no];
}

function rejectionOf(
  received: Received,
  outcome: IncidentOutcome | undefined,
): readonly (readonly [Delivery, RejectedReply])[] {
  const reason =
    outcome?.applied === false
      ? outcome.reason
      : (received.outputFault ?? outcome?.outputFault)?.code;
  return reason === undefined ? [] : [[received.delivery, toRejected(received, reason)]];
}

const toRejected = ({ delivery, reply, outputFault }: Received, reason: string): RejectedReply => ({
  taskId: reply.taskId,
  step: reply.step,
  attempt: reply.attempt,
  reason,
  sender: delivery.userId ?? null,
  ...(outputFault === null
    ? { reply: JSON.stringify(reply) }
    : { reply: null, body: delivery.body }),
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
