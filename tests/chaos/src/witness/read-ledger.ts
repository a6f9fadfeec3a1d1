import type { LedgerEntry, Moment } from "../checker/evidence.ts";

interface Page {
  readonly entries: readonly (Omit<LedgerEntry, "at"> & { readonly at: string })[];
  readonly next: number | null;
}

const pageSize = 10_000;

/** Everything that has happened at the partners since then, as their own ledger has it. */
export async function readLedger(
  partnersUrl: string,
  since: Moment,
): Promise<readonly LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  let after: number | null = 0;
  while (after !== null) {
    const response = await fetch(`${partnersUrl}/ledger?limit=${pageSize}&after=${after}`);
    const page = (await response.json()) as Page;
    entries.push(...page.entries.map((entry) => ({ ...entry, at: Date.parse(entry.at) })));
    after = page.next;
  }
  return entries.filter(({ at }) => at >= since);
}
