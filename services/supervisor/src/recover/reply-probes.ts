import { probeRoute, ReplyProbe, replyExchange, replyQueues } from "@holdfast/contracts";
import type { Broker, PublishResult } from "@holdfast/messaging";
import type { Clock, Logger } from "@holdfast/runtime";
import type { Asked, SupervisorStore } from "@holdfast/state-store";

interface ProbeOptions {
  readonly store: Pick<SupervisorStore, "askForProof" | "raisePathAlert">;
  readonly broker: Pick<Broker, "publish">;
  readonly clock: Pick<Clock, "now">;
  readonly log: Pick<Logger, "warn" | "info">;
}

/** Milliseconds between two looks at whether probes have arrived: soon at first, then rarely. */
const looks = { shortest: 50, longest: 250 };
/** Milliseconds between two probes to one queue, while none arrives. */
const repeats = { shortest: 250, longest: 5_000 };
/**
 * Milliseconds after which probes that do not arrive are logged, and after which a person is
 * alerted.
 */
const [loggedAfter, alertedAfter] = [1_000, 10_000];

/** What a probe has met with that has not been recorded; null: nothing is known to be wrong. */
const troubleOf: Readonly<Record<PublishResult, string | null>> = {
  stored: "the queue has it, and no Scheduler has recorded it",
  unroutable: `${replyExchange} leads to no such queue`,
  unknown:
    "the broker did not confirm it: it is away, takes no messages, or the right to send it is missing",
};

/** A probe of this Supervisor. */
interface SentProbe {
  readonly at: number;
  /** What it has met with; null: nothing yet, or nothing is known to be wrong. */
  trouble: string | null;
  isOnItsWay: boolean;
}

/**
 * Finds out whether silence means anything. A probe goes to each queue of replies, by the exchange,
 * the route and the Schedulers that a reply would take, and these record it in the state store.
 * Until it is recorded there, what is missing may be on its way. What becomes of probes stands in
 * the store: all Supervisors share it, and one that starts again goes on with it.
 */
export function replyProbes({ store, broker, clock, log }: ProbeOptions) {
  const sender = probeSender({ broker, clock });
  let begun: number | null = null;
  let [isLogged, isAlerted] = [false, false];

  const report = async ({ queue, waited }: Asked): Promise<void> => {
    const trouble = sender.troubleOf(queue) ?? troubleOf.unknown;
    if (waited > loggedAfter && !isLogged) {
      log.warn({ queue, trouble }, "replies may not arrive: no silence is counted");
      isLogged = true;
    }
    if (waited > alertedAfter && !isAlerted) {
      const seconds = Math.round(waited / 1_000);
      const detail = `No reply can have arrived for ${seconds} s, so nothing that is silent is counted as a failure. Of the last message to ${queue}: ${trouble}.`;
      await store.raisePathAlert({ queue, detail });
      isAlerted = true;
    }
  };

  return {
    /** Milliseconds for which probes have been on their way; 0: none is. */
    outFor: (): number => (begun === null ? 0 : clock.now() - begun),
    /**
     * Sends probes because of silence that began so many milliseconds ago. Returns when to look
     * whether they arrived.
     */
    async ask(silentFor: number): Promise<number> {
      begun ??= clock.now();
      const probes = replyQueues.map((queue) => ({ queue, trouble: sender.troubleOf(queue) }));
      const asked = await store.askForProof({ probes, silentFor });
      for (const one of asked) sender.send(one);
      const [oldest] = asked.toSorted((a, b) => b.waited - a.waited);
      if (oldest !== undefined) await report(oldest);
      return Math.min(looks.longest, Math.max(looks.shortest, (clock.now() - begun) / 4));
    },
    /** All probes have arrived that are needed now. */
    arrived(): void {
      if (isLogged) log.info({}, "replies arrive again");
      [isLogged, isAlerted] = [false, false];
      begun = null;
    },
  };
}

/** Sends a probe to a queue unless one is on its way, and others rarely while none arrives. */
function probeSender({ broker, clock }: Pick<ProbeOptions, "broker" | "clock">) {
  /** The last probe of each queue. */
  const sent = new Map<string, SentProbe>();

  const isDue = ({ queue, waited }: Asked): boolean => {
    const last = sent.get(queue);
    if (last === undefined || last.isOnItsWay) return last === undefined;
    const pause = Math.min(repeats.longest, Math.max(repeats.shortest, waited / 4));
    return waited === 0 || clock.now() - last.at >= pause;
  };

  const publish = async ({ queue, now }: Asked): Promise<void> => {
    const sentAt = new Date(now).toISOString();
    const probe: SentProbe = { at: clock.now(), trouble: null, isOnItsWay: true };
    sent.set(queue, probe);
    const result = await broker.publish({
      exchange: replyExchange,
      routingKey: probeRoute(queue),
      type: ReplyProbe.type,
      messageId: `probe:${queue}:${sentAt}`,
      body: ReplyProbe.encode({ queue, sentAt }),
    });
    probe.trouble = troubleOf[result];
    probe.isOnItsWay = false;
  };

  return {
    send(asked: Asked): void {
      if (isDue(asked)) void publish(asked);
    },
    troubleOf: (queue: string): string | null => sent.get(queue)?.trouble ?? null,
  };
}

export type ReplyProbes = ReturnType<typeof replyProbes>;
