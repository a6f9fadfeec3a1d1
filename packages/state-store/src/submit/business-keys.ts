import { familyOf } from "@holdfast/domain";
import { columns, type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";
import type { Candidate } from "./new-task.ts";

interface BusinessKey {
  readonly tenant: string;
  readonly family: string;
  readonly key: string;
  readonly taskId: string;
}

const insertKeys = query("insert-business-keys", rowsOf<{ taskId: string }>());
const findKeys = query("find-business-keys", rowsOf<BusinessKey>());
const releaseSubmissions = query("release-submissions");

interface Taken {
  /** Candidates that have no business key, or have taken it. */
  readonly accepted: ReadonlySet<Candidate>;
  /** The open tasks that have the keys of the others, by the ids that these would have got. */
  readonly holders: ReadonlyMap<string, string>;
}

/**
 * Takes the business keys of new tasks: one that no open task has. The first transaction has it;
 * others wait for its end. A task that is not accepted gives back its idempotency key, which it
 * took before.
 */
export async function takeBusinessKeys(
  db: Database,
  candidates: ReadonlySet<Candidate>,
): Promise<Taken> {
  const keyed = [...candidates].flatMap((candidate) => {
    const { tenant, workflow, key } = candidate.task;
    return key == null
      ? []
      : [{ candidate, tenant, family: familyOf(workflow), key, taskId: candidate.taskId }];
  });
  if (keyed.length === 0) return { accepted: candidates, holders: new Map() };
  // Always in the same order, so that two batches with the same keys do not wait for each other.
  const inOrder = keyed.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const names = { tenants: "tenant", families: "family", keys: "key" } as const;
  const all = columns(inOrder, { ...names, taskIds: "taskId" });
  const taken = new Set((await insertKeys(db, all)).map(({ taskId }) => taskId));
  const refused = inOrder.filter(({ taskId }) => !taken.has(taskId));
  if (refused.length === 0) return { accepted: candidates, holders: new Map() };
  const found = await findKeys(db, columns(refused, names));
  const holderOf = new Map(found.map((one) => [nameOf(one), one.taskId]));
  await releaseKeys(
    db,
    refused.map(({ candidate }) => candidate),
  );
  const holders = new Map(refused.map((one) => [one.taskId, holderOf.get(nameOf(one)) ?? ""]));
  return {
    accepted: new Set([...candidates].filter(({ taskId }) => !holders.has(taskId))),
    holders,
  };
}

const nameOf = ({ tenant, family, key }: Omit<BusinessKey, "taskId">): string =>
  `${tenant} ${family} ${key}`;

async function releaseKeys(db: Database, refused: readonly Candidate[]): Promise<void> {
  const keys = refused.flatMap(({ task: { tenant, idempotency } }) =>
    idempotency === null ? [] : [{ tenant, key: idempotency.key }],
  );
  if (keys.length === 0) return;
  await releaseSubmissions(db, columns(keys, { tenants: "tenant", keys: "key" }));
}
