import { repeatable } from "../postgres/operation.ts";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

const selectId = query("find-store-id", rowsOf<{ id: string }>());

/** The id of this store, a UUID. A store that is restored or copied has the id of the first. */
export const findStoreId = repeatable(readStoreId);

/** Reads the id as `findStoreId` does, once. */
export async function readStoreId(db: Database): Promise<string> {
  return (await selectId(db, {}))[0]!.id;
}
