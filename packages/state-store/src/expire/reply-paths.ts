import type { Instant, Milliseconds } from "@holdfast/domain";
import { exactlyOnce, repeatable } from "../postgres/operation.ts";
import { columns, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** A probe that is sent the way of a reply, to one of the queues of replies. */
export interface ProbeRequest {
  readonly queue: string;
  /** What the last probe to it met with; null: nothing is known to be wrong. */
  readonly trouble: string | null;
}

/** A probe that has arrived. */
export interface Proof {
  readonly queue: string;
  /** When it was sent. */
  readonly sentAt: Instant;
}

/**
 * What a probe of now is to carry, and for how long the oldest one to its queue has not arrived.
 */
export interface Asked {
  readonly queue: string;
  readonly now: Instant;
  readonly waited: Milliseconds;
}

const ask = query("ask-for-proof", rowsOf<Asked>());
const saveProofs = query("record-proofs");
const remember = query("remember-outage");
const raise = query("raise-path-alert");

/** A probe that is longer on its way than so many milliseconds shows that replies may be, too. */
const tolerated = 250;

/**
 * Milliseconds by which silence is taken to have begun earlier than it says: between finding it and
 * noting the probes some time has passed, and an outage must not seem to have begun after the very
 * limit that it was found by.
 */
const lag = 1_000;

/**
 * Notes that probes are sent to queues of replies, because of silence that began `silentFor`
 * milliseconds ago, and what the last ones met with.
 */
export const askForProof = repeatable(
  async (
    db,
    {
      probes,
      silentFor,
    }: { readonly probes: readonly ProbeRequest[]; readonly silentFor: Milliseconds },
  ): Promise<readonly Asked[]> => {
    const rows = columns(probes, { queues: "queue", troubles: "trouble" });
    return await ask(db, { ...rows, silentFor: silentFor + lag });
  },
);

/**
 * Notes that probes have arrived: silence until they were sent is what it seems. Those that were
 * long on their way show an outage.
 */
export const recordProofs = repeatable(async (db, proofs: readonly Proof[]): Promise<void> => {
  const last = new Map<string, number>();
  for (const { queue, sentAt } of proofs) {
    last.set(queue, Math.max(sentAt, last.get(queue) ?? sentAt));
  }
  await saveProofs(db, { queues: [...last.keys()], sentAts: [...last.values()], tolerated });
});

/** What may not have arrived: requests, replies, or what one Agent said. */
export type OutagePart = "requests" | "replies" | `agent ${string}`;

/**
 * Remembers that something may not have arrived for the last `lasted` milliseconds: nothing that
 * was silent then counts.
 */
export const rememberOutage = repeatable(
  async (
    db,
    outage: { readonly part: OutagePart; readonly lasted: Milliseconds },
  ): Promise<void> => {
    await remember(db, outage);
  },
);

/**
 * Alerts a person that replies do not arrive in this queue, once for each time that this begins.
 */
export const raisePathAlert = exactlyOnce(
  async (db, alert: { readonly queue: string; readonly detail: string }): Promise<void> => {
    await raise(db, alert);
  },
);
