import { expiredQueue, StepRequest } from "@holdfast/contracts";
import type { TaskEvent } from "@holdfast/domain";
import type { Delivery } from "@holdfast/messaging";
import type { Failpoint, Logger } from "@holdfast/runtime";
import type { Incident, StateStore } from "@holdfast/state-store";
import type { LaneWindows } from "./lane-windows.ts";

interface Dependencies {
  readonly store: Pick<StateStore, "keepDeadLetter">;
  readonly apply: StateStore["applyIncidents"];
  readonly windows: LaneWindows;
  /** There may be steps to claim. */
  readonly wake: () => void;
  readonly log: Logger;
  readonly failpoint: Failpoint;
  readonly actor: string;
}

type Returned = Incident & Pick<StepRequest, "step" | "agent">;

/**
 * Requests that came back from an Agent's queue: nobody took them in time, they killed too many
 * Agents, or an Agent could not read them. The first is put back and not counted. Whether one of
 * them had an effect nobody knows: an expired message may have been delivered before.
 */
export function putBackExpired({
  store,
  apply,
  windows,
  wake,
  log,
  failpoint,
  actor,
}: Dependencies) {
  const decode = (delivery: Delivery): StepRequest | null => {
    try {
      return StepRequest.decode(delivery.body);
    } catch (err) {
      log.error({ err, messageId: delivery.messageId }, "request unreadable");
      delivery.reject();
      return null;
    }
  };

  const read = async (delivery: Delivery): Promise<readonly Returned[]> => {
    const request = decode(delivery);
    if (request === null) return [];
    const { taskId, step, agent } = request;
    const reason = delivery.deathReason ?? "unknown";
    if (reason === "rejected") await keep(delivery, reason);
    const event = toEvent(request, { reason, isBundled: delivery.isBundled });
    log.warn({ ...event, taskId, agent, reason }, "request came back");
    return [{ taskId, step, event, agent }];
  };

  const keep = ({ messageId, type, userId, body }: Delivery, reason: string) =>
    store.keepDeadLetter({
      queue: expiredQueue,
      reason,
      messageId: messageId ?? null,
      type: type ?? null,
      sender: userId ?? null,
      body,
    });

  return async (batch: readonly Delivery[]): Promise<void> => {
    const incidents = (await Promise.all(batch.map(read))).flat();
    if (incidents.length === 0) return;
    const names = () => incidents.map(({ step }) => step);
    failpoint("scheduler.putting-back", names);
    const { outcomes } = await apply(incidents, { actor });
    failpoint("scheduler.put-back", names);
    wake();
    incidents.forEach(({ agent }, index) => outcomes[index]?.applied && windows.settled(agent));
  };
}

type Death = Pick<Delivery, "isBundled"> & { readonly reason: string };

/** Of a bundle nobody knows which of its requests could not be read: all of them may try again. */
function toEvent({ step, attempt, token }: StepRequest, { reason, isBundled }: Death): TaskEvent {
  const ref = { step, attempt, token };
  if (reason === "expired") return { kind: "neverStarted", ...ref };
  const failure = { attempted: true, effect: "unknown", retryAfter: null } as const;
  return reason === "rejected"
    ? { kind: "failed", code: "step.request_rejected", transient: isBundled, ...failure, ...ref }
    : { kind: "failed", code: "step.delivery_limit", transient: true, ...failure, ...ref };
}
