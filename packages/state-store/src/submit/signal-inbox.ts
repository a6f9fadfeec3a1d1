import type { FieldFault } from "@holdfast/contracts";
import type { Json } from "@holdfast/domain";
import { enqueueNotifications, type Notification } from "../outbox/outbox.ts";
import { exactlyOnce, once, repeatable } from "../postgres/operation.ts";
import { columns, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import type { InboxClaim } from "./inbox.ts";

/** A signal of the inbox that this process is to hand to its task. */
export interface EnqueuedSignal {
  /** Its place in the inbox. */
  readonly number: string;
  readonly taskId: string;
  readonly name: string;
  /** The sender's own id. */
  readonly signalId: string;
  /** The payload as its application wrote it, as JSON. */
  readonly payload: string;
  /** The queue of its sender; null: it named none. */
  readonly replyTo: string | null;
  readonly correlationId: string | null;
  /** The login that enqueued it. */
  readonly submitter: string;
  /** What the application called its connection; null: nothing. */
  readonly application: string | null;
  /** Who sent it by message; null: it came in a transaction. */
  readonly sentBy: string | null;
  /** How often it was taken, this time included. */
  readonly claims: number;
}

/** A signal of the inbox that no task gets, and why. */
export interface EnqueuedSignalRefusal {
  readonly number: string;
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly FieldFault[];
  /** The message to its sender; null: it named no queue. */
  readonly notification: Notification | null;
}

const claimRows = query("claim-enqueued-signals", rowsOf<EnqueuedSignal, "number" | "payload">());

/**
 * Takes signals of the inbox whose tasks wait there no longer, the oldest of each caller by turns,
 * with SKIP LOCKED, and has them in their order. If the answer is lost, their leases end.
 */
export const claimEnqueuedSignals = once(
  async (db, request: InboxClaim): Promise<readonly EnqueuedSignal[]> =>
    (await claimRows(db, request)).toSorted((a, b) => Number(a.number) - Number(b.number)),
);

const deleteRows = query("delete-enqueued-signals");

/** Deletes signals of the inbox that their tasks have. */
export const deleteEnqueuedSignals = repeatable(
  async (db, asked: { readonly numbers: readonly string[] }): Promise<void> => {
    await deleteRows(db, asked);
  },
);

const refuseRows = query("refuse-enqueued-signals", rowsOf<{ number: string }, "number">());

/**
 * Refuses signals of the inbox, once each: with a row for their applications, and a message to who
 * asked for one. What another process has taken meanwhile is left to that.
 */
export const refuseEnqueuedSignals = exactlyOnce(
  async (db, refusals: readonly EnqueuedSignalRefusal[]): Promise<void> => {
    const rows = refusals.map((one) => ({ ...one, errors: JSON.stringify(one.errors) }));
    const names = {
      numbers: "number",
      codes: "code",
      details: "detail",
      errors: "errors",
    } as const;
    const found = await refuseRows(db, columns(rows, names));
    const refused = new Set(found.map(({ number }) => number));
    const notifications = refusals.flatMap(({ number, notification }) =>
      notification === null || !refused.has(number) ? [] : [notification],
    );
    await Promise.all(enqueueNotifications(db, notifications));
  },
);

/** A signal that came by message for a task that waits in the inbox. */
export interface EarlySignal extends Pick<EnqueuedSignal, "taskId" | "name" | "signalId"> {
  readonly payload: Json;
  readonly replyTo: string | null;
  readonly correlationId: string | null;
  readonly sentBy: string;
}

const insertRows = query("insert-enqueued-signals", rowsOf<{ taskId: string }>());

/**
 * Keeps signals until their tasks, which wait in the inbox, are made. Resolves to the ids of those
 * tasks: the others wait there no longer, or never did.
 */
export const enqueueSignals = exactlyOnce(
  async (db, signals: readonly EarlySignal[]): Promise<ReadonlySet<string>> => {
    const rows = signals.map((one) => ({ ...one, payload: JSON.stringify(one.payload) }));
    const names = {
      taskIds: "taskId",
      names: "name",
      signalIds: "signalId",
      payloads: "payload",
      replyTos: "replyTo",
      correlationIds: "correlationId",
      sentBys: "sentBy",
    } as const;
    return new Set((await insertRows(db, columns(rows, names))).map(({ taskId }) => taskId));
  },
);
