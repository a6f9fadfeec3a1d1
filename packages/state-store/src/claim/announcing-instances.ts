import type { AnnouncingInstance } from "@holdfast/contracts";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

const find = query("find-announcing-instances", rowsOf<AnnouncingInstance>());

/** What the living instances of these Agents announce. */
export const findAnnouncingInstances = (
  db: Database,
  params: { readonly agents: readonly string[] },
): Promise<readonly AnnouncingInstance[]> => find(db, params);
