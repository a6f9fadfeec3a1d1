import { type EffectRef, idOf } from "./ledger.ts";
import type { LedgerEntry, Partner } from "./ledger-entry.ts";

interface KeyBalance extends EffectRef {
  readonly applied: number;
  readonly undone: number;
  /**
   * 1: the effect is there; 0: it never was, or was undone. Anything else is a bug of a partner.
   */
  readonly net: number;
}

export interface Balance {
  readonly keys: readonly KeyBalance[];
  /** Keys whose effect happened more than once: must stay empty. */
  readonly appliedTwice: readonly string[];
  /** What is left of all effects: articles by SKU, money by currency, in minor units. */
  readonly totals: Readonly<Partial<Record<Partner, Readonly<Record<string, number>>>>>;
}

/** What all the effects come to. */
export function balanceOf(entries: readonly LedgerEntry[]): Balance {
  const keys = [...Map.groupBy(entries, idOf).values()].flatMap(balanceOfKey);
  const totals = Object.fromEntries(
    [...Map.groupBy(entries, ({ partner }) => partner)].map(([partner, own]) => [
      partner,
      totalsOf(own),
    ]),
  );
  return {
    keys,
    appliedTwice: keys.filter(({ applied }) => applied > 1).map(({ key }) => key),
    totals,
  };
}

function balanceOfKey(entries: readonly LedgerEntry[]): readonly KeyBalance[] {
  const [first] = entries;
  if (first === undefined) return [];
  const { partner, resource, key } = first;
  const count = (kind: LedgerEntry["kind"]) =>
    entries.filter((entry) => entry.kind === kind).length;
  const applied = count("applied");
  const undone = count("undone");
  return [{ partner, resource, key, applied, undone, net: applied - undone }];
}

function totalsOf(entries: readonly LedgerEntry[]): Readonly<Record<string, number>> {
  const totals = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind === "tombstone") continue;
    const sign = entry.kind === "applied" ? 1 : -1;
    for (const [unit, amount] of Object.entries(entry.amounts))
      totals.set(unit, (totals.get(unit) ?? 0) + sign * amount);
  }
  return Object.fromEntries(totals);
}
