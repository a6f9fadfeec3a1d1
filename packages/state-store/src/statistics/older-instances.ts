import type { DefinitionFormat } from "@holdfast/domain";
import { type Database, query } from "../postgres/query.ts";
import { rowsOf } from "../postgres/statement-types.ts";

/** Milliseconds after which a process that has not announced itself counts as gone. */
export const silentAfter = 20_000;

/** A process, as people know it. */
interface OlderInstance {
  readonly service: string;
  readonly instance: string;
  readonly version: string;
}

const findOlder = query("find-older-instances", rowsOf<OlderInstance>());

/**
 * Reads the living processes that cannot read definitions of a format: those of earlier releases.
 */
export const readOlderInstances = (
  db: Database,
  format: DefinitionFormat,
): Promise<readonly OlderInstance[]> => findOlder(db, { format, silentAfter });
