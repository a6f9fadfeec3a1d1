import type { LedgerEntry, NewEntry, Partner } from "./ledger-entry.ts";
import type { LedgerFile } from "./ledger-file.ts";

/** Names one effect, whether it has happened or not. */
export interface EffectRef {
  readonly partner: Partner;
  readonly resource: string;
  readonly key: string;
}

export interface Ledger {
  /** Every effect that is on the disk, in order. */
  readonly entries: readonly LedgerEntry[];
  /** The last thing that happened under the key. */
  find(effect: EffectRef): LedgerEntry | undefined;
  /** Returns once the entry is on the disk, and not before can anyone see it. */
  record(entry: NewEntry): Promise<void>;
}

/** The effects of all partners, found by key. */
export function openLedger(file: LedgerFile): Ledger {
  const entries: LedgerEntry[] = [...file.entries];
  const latest = new Map(entries.map((entry) => [idOf(entry), entry]));
  let seq = entries.at(-1)?.seq ?? 0;
  return {
    entries,
    find: (effect) => latest.get(idOf(effect)),
    async record(content) {
      seq += 1;
      const entry: LedgerEntry = { seq, at: new Date().toISOString(), ...content };
      await file.append(entry);
      entries.push(entry);
      latest.set(idOf(entry), entry);
    },
  };
}

/** One text for one effect. */
export const idOf = ({ partner, resource, key }: EffectRef): string =>
  `${partner}/${resource}/${key}`;
