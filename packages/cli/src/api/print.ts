import { terminalText } from "@holdfast/domain/control-characters";
import type { Invocation, Outcome, Output } from "./verb.ts";

/** How an instant is shown. */
type ShowInstant = Invocation["at"];

/** What goes to the standard output: with `json` exactly one document. */
export function print(
  { value, items, columns, text, note }: Outcome,
  output: Output,
  at: ShowInstant,
): string {
  if (value === undefined) return "";
  const parts = items ?? (Array.isArray(value) ? (value as object[]) : [value as object]);
  switch (output) {
    case "json":
      return `${JSON.stringify(value, null, 2)}\n`;
    case "jsonl":
      return parts.map((part) => `${JSON.stringify(part)}\n`).join("");
    case "id":
      return parts.map((part) => `${idOf(part)}\n`).join("");
    case "table": {
      const shown = text ?? table(parts, columns ?? Object.keys(parts[0] ?? {}), at);
      return [shown, note]
        .filter((line) => line)
        .map((line) => `${line}\n`)
        .join("");
    }
  }
}

/** The note below a list that was cut off. */
export const thereAreMore = "There are more: see --limit and --all.";

const idOf = (part: object): string => {
  const { id, name, taskId }: Readonly<Partial<Record<"id" | "name" | "taskId", unknown>>> = part;
  const found = id ?? name ?? taskId;
  return typeof found === "string" ? found : "";
};

/** Columns as wide as their widest cell, with their names above. */
export function table(
  rows: readonly object[],
  columns: readonly string[],
  at: ShowInstant = (instant) => instant,
): string {
  if (rows.length === 0) return "";
  const cells = rows.map((row) => columns.map((name) => cell(fieldAt(row, name), at)));
  const heads = columns.map((name) => name.replaceAll(/([A-Z])/g, " $1").toUpperCase());
  const all = [heads, ...cells];
  const widths = columns.map((_, place) => Math.max(...all.map((row) => row[place]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((text, place) => text.padEnd(widths[place] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A field, or one within another as `a.b`. */
const fieldAt = (row: object, name: string): unknown =>
  name.split(".").reduce<unknown>((value, part) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return null;
    return Reflect.get(value, part);
  }, row);

const isInstant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

function cell(value: unknown, at: ShowInstant): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "string" && isInstant.test(value)) return at(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  // A row is one line.
  return terminalText(text).replaceAll(/[\n\t]/g, " ");
}
