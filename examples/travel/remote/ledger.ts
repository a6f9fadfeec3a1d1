import { appendFileSync, mkdirSync, readFileSync } from "node:fs";

/**
 * Stands in for a remote service: `ledger/<service>` has a file for each key, with a line for each
 * effect.
 */
export function openLedger(service: string) {
  const folder = `ledger/${service}`;
  mkdirSync(folder, { recursive: true });
  const fileOf = (key: string) => `${folder}/${encodeURIComponent(key)}`;
  const write = (key: string, line: string) => appendFileSync(fileOf(key), `${line}\n`);
  const read = (key: string) => {
    try {
      return readFileSync(fileOf(key), "utf8");
    } catch {
      return "";
    }
  };
  return {
    /**
     * Makes the effect, once for each key. Returns whether it is there: a key that was undone is
     * refused.
     */
    make(key: string, effect: string): boolean {
      const lines = read(key);
      if (lines === "") write(key, effect);
      return !lines.endsWith("undone\n");
    },
    /**
     * Undoes what the key did, and refuses the key from now on, also if there is nothing to undo.
     */
    undo(key: string): void {
      if (!read(key).endsWith("undone\n")) write(key, "undone");
    },
  };
}
