import {
  advanceBulk,
  type BulkOutcome,
  type BulkProgress,
  hasBulkEnded,
  type Json,
  type JsonPatch,
  pacedAfter,
} from "@holdfast/domain";
import { columns, type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import type { BulkWork } from "./bulk-operation.ts";

/** An operation whose items this transaction alone may change. */
export interface LockedOperation extends BulkWork {
  readonly step: string | null;
  readonly output: Json;
  /** Whether an output was given. False: nothing was said of it. */
  readonly hasOutput: boolean;
  readonly patch: JsonPatch | null;
  readonly actor: string;
  readonly reason: string;
}

/** What became of one of its items. */
export interface ItemChange {
  readonly number: number;
  readonly taskId: string;
  readonly outcome: Exclude<BulkOutcome, "waiting">;
  readonly code: string | null;
  readonly step: string | null;
  readonly attempt: number | null;
  readonly appliedVersion: number | null;
}

const lock = query("lock-bulk-operation", rowsOf<LockedOperation, "hasOutput">());
const saveItems = query("save-bulk-items", rowsOf<{ outcome: BulkOutcome }>());
const saveProgress = query("save-bulk-progress");

/** Locks a bulk operation; null: another transaction holds it, or it is gone. */
export const lockOperation = async (db: Database, id: string): Promise<LockedOperation | null> =>
  (await lock(db, { id }))[0] ?? null;

/**
 * Sends what gives items their outcomes; resolves to those of the items that still had the one
 * before.
 */
export async function saveItemChanges(
  db: Database,
  id: string,
  {
    before,
    changes,
  }: { readonly before: "waiting" | "applied"; readonly changes: readonly ItemChange[] },
): Promise<readonly BulkOutcome[]> {
  const saved = await saveItems(db, {
    id,
    before,
    ...columns(changes, {
      numbers: "number",
      outcomes: "outcome",
      codes: "code",
      steps: "step",
      attempts: "attempt",
      appliedVersions: "appliedVersion",
    }),
  });
  return saved.map(({ outcome }) => outcome);
}

interface Advance {
  readonly before: "waiting" | "applied";
  readonly outcomes: readonly BulkOutcome[];
  /** What has just happened to its items: says why a canary stops it. */
  readonly changes: readonly ItemChange[];
}

/** Sends how far the operation is once its items have new outcomes. */
export function saveAdvance(
  db: Database,
  operation: LockedOperation,
  { before, outcomes, changes }: Advance,
): { readonly after: BulkProgress; readonly sent: Promise<unknown> } {
  const after = advanceBulk(operation, before, outcomes);
  const spent = before === "waiting" ? outcomes.filter((one) => one !== "refused").length : 0;
  const isStopped = after.state === "stopped" && !hasBulkEnded(operation);
  const { state, waiting, applied, refused, succeeded, failedAgain } = after;
  const sent = saveProgress(db, {
    id: operation.id,
    state,
    waiting,
    applied,
    refused,
    succeeded,
    failedAgain,
    pacedFrom: pacedAfter(operation, spent),
    stoppedBy: isStopped ? canaryActor : null,
    stopReason: isStopped ? reasonOf(changes) : null,
  });
  return { after, sent };
}

/** Stops an operation when an item of its canary fails again. */
const canaryActor = "holdfast (canary)";

function reasonOf(changes: readonly ItemChange[]): string {
  const failed = changes.find(({ outcome }) => outcome === "failedAgain");
  const code = failed?.code ?? "no code";
  return `Task ${failed?.taskId ?? ""} of the canary failed again: ${code}`;
}
