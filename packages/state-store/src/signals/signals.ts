import { createHash } from "node:crypto";
import { signalContract } from "@holdfast/contracts";
import {
  canonicalJson,
  familyOf,
  type Json,
  type Milliseconds,
  stepsWaitingFor,
  type WorkflowPlan,
} from "@holdfast/domain";
import { composed, repeatable } from "../postgres/operation.ts";
import { columns, type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import { inTransaction, withRetries } from "../postgres/transaction.ts";
import type { Candidate } from "../submit/new-task.ts";
import type { StoredWorkflow } from "../workflows/workflow-catalog.ts";

/** What a sender says of a signal. */
interface SignalSent {
  readonly name: string;
  /** The sender's own: the same once more is the same signal. */
  readonly id: string;
  readonly payload: Json;
  /** Who sends it, for people. */
  readonly sentBy: string;
}

/** A signal for a task, whose payload keeps its contract. */
export interface NewSignal extends SignalSent {
  readonly taskId: string;
  /** The workflow of the task. */
  readonly workflow: string;
}

/** Why a signal is of no use, though it has the form that it must have. */
export type SignalRefusal =
  | "task.unknown"
  | "signal.too_late"
  | "signal.id_reused"
  | "signal.too_many";

/** What became of a signal. `replayed`: the first one of its id stands, which this one repeats. */
export type SentSignal =
  | { readonly kind: "accepted"; readonly at: string; readonly replayed: boolean }
  | { readonly kind: "refused"; readonly code: SignalRefusal };

const store = query(
  "store-signals",
  rowsOf<{
    nth: number;
    outcome: "accepted" | SignalRefusal;
    isReplay: boolean;
    at: number | null;
  }>(),
);

/**
 * Keeps signals with their tasks, in one transaction, so that the steps that wait for them are due:
 * a Scheduler ends their waits. One that comes too late is kept, too, and refused. Safe to repeat.
 */
export const sendSignals = composed(
  async ({ pool, catalog }, signals: readonly NewSignal[]): Promise<readonly SentSignal[]> => {
    if (signals.length === 0) return [];
    const plans = new Map<string, WorkflowPlan>();
    for (const { workflow } of signals) {
      if (!plans.has(workflow)) plans.set(workflow, (await catalog.get(pool, workflow)).plan);
    }
    const rows = signals.map((signal) => {
      const waiting = stepsWaitingFor(plans.get(signal.workflow)!, signal.name);
      return {
        ...rowOf(signal),
        taskId: signal.taskId,
        steps: JSON.stringify(waiting.map(({ name }) => name)),
        alertsLate: waiting.some(({ late }) => late === "alert"),
      };
    });
    const stored = await withRetries(() =>
      inTransaction(pool, async (client) => {
        const found = await store(
          client,
          columns(rows, {
            ...signalColumns,
            taskIds: "taskId",
            steps: "steps",
            alertsLate: "alertsLate",
          }),
        );
        return { sent: [], result: () => found };
      }),
    );
    const byPlace = new Map(stored.map((row) => [row.nth, row]));
    return signals.map((_, index): SentSignal => {
      const { outcome, isReplay, at } = byPlace.get(index + 1)!;
      return outcome === "accepted"
        ? { kind: "accepted", at: new Date(at ?? 0).toISOString(), replayed: isReplay }
        : { kind: "refused", code: outcome };
    });
  },
);

const signalColumns = {
  names: "name",
  signalIds: "id",
  requestHashes: "requestHash",
  payloads: "payload",
  sentBys: "sentBy",
} as const;

const rowOf = ({ name, id, payload, sentBy }: SignalSent) => ({
  name,
  id,
  sentBy,
  payload: JSON.stringify(payload),
  requestHash: createHash("sha256").update(canonicalJson(payload)).digest("hex"),
});

/** A signal of a task. */
export interface StoredSignal extends SignalSent {
  readonly at: string;
  /** The step that it ended; null: no step has taken it. */
  readonly takenBy: string | null;
  /** Whether no step could take it any more when it came. */
  readonly isLate: boolean;
}

/** A page of the signals of a task, the oldest first. */
export interface SignalPage {
  readonly items: readonly StoredSignal[];
  /** What the next page begins after; null: this is the last one. */
  readonly next: string | null;
  /** It ends where it does because its signals are large. */
  readonly isFull: boolean;
}

export interface SignalQuery {
  readonly taskId: string;
  /** What the page begins after: `next` of the one before it; null: it is the first. */
  readonly after: string | null;
  /** Signals and bytes of a page. One signal it has always. */
  readonly most: number;
  readonly mostBytes: number;
}

interface SignalRow extends Omit<StoredSignal, "at"> {
  readonly number: string;
  readonly at: number;
  readonly found: string;
}

const selectSignals = query("find-signals", rowsOf<SignalRow>());

async function readSignals(db: Database, { after, ...request }: SignalQuery): Promise<SignalPage> {
  const rows = await selectSignals(db, { ...request, after: after ?? "0" });
  const items = rows.map(({ number: _number, found: _found, at, ...signal }) => ({
    ...signal,
    at: new Date(at).toISOString(),
  }));
  const hasMore = Number(rows[0]?.found ?? 0) > items.length;
  return {
    items,
    next: hasMore ? (rows.at(-1)?.number ?? null) : null,
    isFull: hasMore && items.length < request.most,
  };
}

/** A page of the signals of a task. */
export const findSignals = repeatable(readSignals);

/** All signals of a task, the oldest first: for tests and people. */
export const listSignals = repeatable(
  async (db, { taskId }: { readonly taskId: string }): Promise<readonly StoredSignal[]> => {
    const all = { taskId, after: null, most: largest - 1, mostBytes: largest };
    return (await readSignals(db, all)).items;
  },
);

/** The largest integer of Postgres. */
const largest = 2_147_483_647;

const find = query("has-signal", rowsOf<{ isThere: boolean }>());

/** Whether a task has had a signal of that name and id, whatever became of it. */
export const hasSignal = repeatable(
  async (db, asked: Pick<NewSignal, "taskId" | "name" | "id">): Promise<boolean> => {
    const { taskId, name, id: signalId } = asked;
    return (await find(db, { taskId, name, signalId }))[0]?.isThere ?? false;
  },
);

/** A signal for the task that a business key will stand for. */
export interface HeldSignal extends SignalSent {
  readonly tenant: string;
  /** The workflow without its version. */
  readonly family: string;
  readonly key: string;
  /** The hash of the schema that its payload keeps. */
  readonly contract: string;
  readonly holdFor: Milliseconds;
}

/**
 * What became of a signal for a business key. `task`: the key has a task, open or one that has had
 * the signal, which it is to be sent to.
 */
export type HeldOutcome =
  | { readonly kind: "held"; readonly until: string; readonly replayed: boolean }
  | { readonly kind: "task"; readonly taskId: string }
  | { readonly kind: "refused"; readonly code: "signal.id_reused" | "signal.too_many" };

const lockMailboxes = query("lock-mailboxes");
const findHolder = query("find-signal-holder", rowsOf<{ taskId: string }>());
const hold = query("hold-signal", rowsOf<{ until: number }>());
const findHeld = query("find-held-signal", rowsOf<{ requestHash: string; until: number }>());

/**
 * Holds a signal until a task with its business key is submitted, for `holdFor` at most. Safe to
 * repeat.
 */
export const holdSignal = composed(
  ({ pool }, { tenant, family, key, contract, holdFor, ...sent }: HeldSignal) =>
    withRetries(() =>
      inTransaction(pool, async (client) => {
        const { id: signalId, ...row } = rowOf(sent);
        const box = { tenant, family, key, name: row.name, signalId };
        await lockMailboxes(client, { tenants: [tenant], families: [family], keys: [key] });
        const [holder] = await findHolder(client, box);
        if (holder !== undefined) return done({ kind: "task", taskId: holder.taskId });
        const [held] = await hold(client, { ...row, ...box, contract, holdFor });
        if (held !== undefined) return done(heldUntil(held.until, false));
        const [earlier] = await findHeld(client, box);
        if (earlier === undefined) return done({ kind: "refused", code: "signal.too_many" });
        return earlier.requestHash === row.requestHash
          ? done(heldUntil(earlier.until, true))
          : done({ kind: "refused", code: "signal.id_reused" });
      }),
    ),
);

const done = (outcome: HeldOutcome) => ({ sent: [], result: () => outcome });

const heldUntil = (until: number, replayed: boolean): HeldOutcome => ({
  kind: "held",
  until: new Date(until).toISOString(),
  replayed,
});

const emptyMailboxes = query("empty-mailboxes");

interface NewOwner extends Pick<Candidate, "taskId"> {
  readonly task: Pick<Candidate["task"], "tenant" | "workflow" | "key">;
}

/**
 * Sends, without waiting, what hands new tasks the signals that were held for their business keys,
 * before their steps begin to wait.
 */
export function takeHeldSignals(
  db: Database,
  accepted: ReadonlySet<NewOwner>,
  workflows: ReadonlyMap<string, Pick<StoredWorkflow, "definition">>,
): readonly Promise<unknown>[] {
  const owners = [...accepted].flatMap(({ taskId, task: { tenant, workflow, key } }) => {
    const { signals = {} } = workflows.get(workflow)!.definition;
    if (key == null || Object.keys(signals).length === 0) return [];
    const contracts = Object.keys(signals).map((name) => [name, signalContract({ signals }, name)]);
    const family = familyOf(workflow);
    return [
      { taskId, tenant, family, key, contracts: JSON.stringify(Object.fromEntries(contracts)) },
    ];
  });
  if (owners.length === 0) return [];
  const boxes = { tenants: "tenant", families: "family", keys: "key" } as const;
  return [
    lockMailboxes(db, columns(owners, boxes)),
    emptyMailboxes(db, columns(owners, { ...boxes, taskIds: "taskId", contracts: "contracts" })),
  ];
}
