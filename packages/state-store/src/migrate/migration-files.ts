import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const migrationsFolder = fileURLToPath(new URL("../../migrations", import.meta.url));

/** A part of a migration that is committed, or rolled back, as a whole. */
export interface Phase {
  /**
   * `transaction`: all of it in one. `apart`: statement by statement, each a transaction of its
   * own, as `create index concurrently` demands. A statement with `{month}` runs once for each
   * month that has partitions.
   */
  readonly mode: "transaction" | "apart";
  /** Tables that are locked first, in this order, against all others. */
  readonly locks: readonly string[];
  readonly sql: string;
}

export interface Migration {
  /** The name of its file. */
  readonly name: string;
  readonly phases: readonly Phase[];
}

/** All migrations of this release, and those of further folders, in the order of their names. */
export const readMigrations = (further: readonly string[] = []): readonly Migration[] =>
  [migrationsFolder, ...further]
    .flatMap(readFolder)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));

const readFolder = (folder: string): readonly Migration[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .map((file) => ({
      name: file.replace(/\.sql$/, ""),
      phases: readPhases(readFileSync(join(folder, file), "utf8")),
    }));

const marker = /^-- phase: (.*)$/m;

/**
 * A phase begins with a line of its own: `-- phase: online`, `-- phase: apart` or `-- phase: locks
 * state.tasks, state.steps`. A file without such a line is one phase. What stands before the first
 * such line is a comment.
 */
export function readPhases(text: string): readonly Phase[] {
  const [head = "", ...parts] = text.split(marker);
  if (parts.length === 0) return [{ mode: "transaction", locks: [], sql: head }];
  if (/^(?!--).*\S/m.test(head)) throw new Error("SQL before the first phase of a migration");
  const phases: Phase[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    phases.push(toPhase(parts[at] ?? "", parts[at + 1] ?? ""));
  }
  if (phases.at(-1)?.mode === "apart") {
    throw new Error("The last phase of a migration is a transaction: it records that all have run");
  }
  return phases;
}

function toPhase(title: string, sql: string): Phase {
  if (title === "online") return { mode: "transaction", locks: [], sql };
  if (title === "apart") return { mode: "apart", locks: [], sql };
  const [, tables] = /^locks (\w+\.\w+(?:, \w+\.\w+)*)$/.exec(title) ?? [];
  if (tables === undefined) throw new Error(`Unknown phase of a migration: ${title}`);
  return { mode: "transaction", locks: tables.split(", "), sql };
}

/** Statements of a phase that runs them apart: each ends with a semicolon at the end of a line. */
export const statementsOf = ({ sql }: Phase): readonly string[] =>
  sql
    .replace(/^--.*$/gm, "")
    .split(/;$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "");
