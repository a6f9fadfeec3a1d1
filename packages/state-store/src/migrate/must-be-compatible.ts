import { ContractFault } from "@holdfast/domain";
import { isNotMigrated, toStoreFault } from "../postgres/postgres-error.ts";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** The schema that this release knows. */
const schemaVersion = 35;

const findCompatibility = query(
  "find-compatibility",
  rowsOf<{ schemaVersion: number; oldestReader: number }>(),
);

/**
 * Throws `store.incompatible` if this release cannot read the schema, and `store.not_migrated` if
 * there is none.
 */
export async function mustBeCompatible(db: Database): Promise<void> {
  const [found] = await findCompatibility(db, {}).catch(notMigrated);
  if (
    found !== undefined &&
    found.oldestReader <= schemaVersion &&
    found.schemaVersion >= schemaVersion
  )
    return;
  throw new ContractFault(
    "store.incompatible",
    `The state store has schema ${found?.schemaVersion ?? "none"}, this release needs ${schemaVersion}: ${remedyFor(found?.oldestReader ?? 0)}`,
  );
}

const remedyFor = (oldestReader: number): string =>
  oldestReader > schemaVersion
    ? "update this service to the release that made the schema"
    : "run the migrations";

function notMigrated(error: unknown): never {
  if (!isNotMigrated(toStoreFault(error))) throw error;
  throw new ContractFault(
    "store.not_migrated",
    "There is no state store in this database: run the migrations (packages/state-store/src/main.ts), or look at the URL",
    { cause: error },
  );
}
