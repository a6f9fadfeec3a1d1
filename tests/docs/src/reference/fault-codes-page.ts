import { table } from "./json-schema.ts";
import { load } from "./load.ts";

interface Entry {
  readonly transient: boolean | null;
  readonly meaning: string;
  readonly action: string;
}

/** Every code that Holdfast itself produces. */
export const loadFaultCodes = async (): Promise<Readonly<Record<string, Entry>>> =>
  (await load("packages/domain/src/fault-codes.ts"))["faultCodes"] as Readonly<
    Record<string, Entry>
  >;

/** The table of docs/reference/fault-codes.md. */
export async function faultCodesPage(): Promise<string> {
  const codes = Object.entries(await loadFaultCodes()).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const rows = codes.map(([code, { transient, meaning, action }]) => [
    `\`${code}\``,
    transientWord(transient),
    meaning,
    action,
  ]);
  return table([["code", "transient", "what it means", "what to do"], ...rows]);
}

function transientWord(transient: boolean | null): string {
  if (transient === null) return "-";
  return transient ? "yes" : "no";
}
