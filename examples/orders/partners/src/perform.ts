import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { canonicalJson } from "@holdfast/domain";
import { type Answer, refusal } from "./answer.ts";
import { type EffectRef, idOf, type Ledger } from "./ledger.ts";
import type { LedgerEntry } from "./ledger-entry.ts";
import type { Offer } from "./offers.ts";

interface Request {
  readonly key: string;
  readonly body: unknown;
  /** How long the key is in progress before the effect happens. */
  readonly holdMs: number;
}

export interface Performer {
  /** Does it once for each key; a repeated request gets the first one's answer. */
  perform(offer: Offer, request: Request): Promise<Answer>;
  /** Undoes what was done under the key, and has the key refused for ever. */
  undo(effect: EffectRef): Promise<Answer>;
}

const inProgress = refusal(409, "in_progress", "another request with this key is in progress");
const keyReused = refusal(422, "key_reused", "this key was used for another request");
const gone = refusal(410, "undone", "this key was undone: its request is refused for ever");

/** Keeps the promises of idempotency keys and tombstones. */
export function openPerformer(ledger: Ledger): Performer {
  const inHand = new Set<string>();
  const asked = new Map<string, number>();

  const alone = async (effect: EffectRef, work: () => Promise<Answer>) => {
    const id = idOf(effect);
    if (inHand.has(id)) return inProgress;
    inHand.add(id);
    try {
      return await work();
    } finally {
      inHand.delete(id);
    }
  };

  return {
    async perform({ partner, resource, judge }, { key, body, holdMs }) {
      const effect = { partner, resource, key };
      const requestHash = createHash("sha256").update(canonicalJson(body)).digest("hex");
      const known = ledger.find(effect);
      if (known !== undefined) return repeat(known, requestHash);
      const nth = (asked.get(idOf(effect)) ?? 0) + 1;
      asked.set(idOf(effect), nth);
      const verdict = judge(body, { key, nth });
      if ("refused" in verdict) return verdict.refused;
      return alone(effect, async () => {
        if (holdMs > 0) await sleep(holdMs);
        await ledger.record({ kind: "applied", ...effect, requestHash, ...verdict });
        asked.delete(idOf(effect));
        return { status: 201, body: verdict.answer };
      });
    },

    async undo(effect) {
      const known = ledger.find(effect);
      if (known !== undefined && known.kind !== "applied") return undone("already_undone");
      return alone(effect, async () => {
        if (known === undefined) {
          await ledger.record({ kind: "tombstone", ...effect });
          return undone("nothing_to_undo");
        }
        await ledger.record({ kind: "undone", ...effect, amounts: known.amounts });
        return undone("undone");
      });
    },
  };
}

function repeat(known: LedgerEntry, requestHash: string): Answer {
  if (known.kind !== "applied") return gone;
  return known.requestHash === requestHash ? { status: 201, body: known.answer } : keyReused;
}

const undone = (outcome: string): Answer => ({ status: 200, body: { outcome } });
