import { durationText } from "@holdfast/domain";
import type { ServerFacts, UnvacuumedTable, XminHolder } from "@holdfast/state-store";
import { type Finding, fine, orFine, unseen, wrong } from "./finding.ts";

export interface VacuumFacts {
  readonly server: Pick<ServerFacts, "autovacuum" | "trackCounts" | "seesAllSessions">;
  readonly holders: readonly XminHolder[];
  readonly tables: readonly UnvacuumedTable[];
}

/** Every move of a step leaves a dead row: without vacuum the claim gets slower by the hour. */
export const checkVacuum = ({ server, holders, tables }: VacuumFacts): readonly Finding[] => [
  ...orFine(
    [...checkAutovacuum(server), ...tables.map(checkTable)],
    "store.vacuum",
    "autovacuum is on, and keeps up",
  ),
  ...checkHolders(holders, server.seesAllSessions),
];

const checkAutovacuum = ({ autovacuum, trackCounts }: VacuumFacts["server"]): readonly Finding[] =>
  autovacuum && trackCounts
    ? []
    : [
        wrong(
          "store.vacuum",
          `${autovacuum ? "track_counts" : "autovacuum"} is off: dead rows pile up and slow down every claim`,
          `alter system set ${autovacuum ? "track_counts" : "autovacuum"} = on; select pg_reload_conf()`,
        ),
      ];

const checkTable = ({ name, dead, live, isOff }: UnvacuumedTable): Finding =>
  isOff
    ? wrong(
        "store.vacuum",
        `autovacuum is off for state.${name}`,
        `alter table state.${name} reset (autovacuum_enabled)`,
      )
    : wrong(
        "store.vacuum",
        `state.${name} has ${dead} dead rows to ${live} living ones`,
        `vacuum analyze state.${name}, and look at what holds autovacuum up`,
      );

function checkHolders(holders: readonly XminHolder[], seesAll: boolean): readonly Finding[] {
  const found = holders.map((holder) =>
    wrong("store.transactions", describe(holder), adviceFor(holder)),
  );
  if (found.length > 0) return found;
  return seesAll
    ? [fine("store.transactions", "no transaction has been open for long")]
    : [
        unseen(
          "store.transactions",
          "this user may not see other users' transactions",
          "grant pg_read_all_stats to it",
        ),
      ];
}

const describe = ({ kind, name, detail, openFor }: XminHolder): string =>
  openFor === null
    ? `${kind} ${name} is ${detail}: vacuum must keep what it may want`
    : `${kind} ${name} (${detail}) has been open for ${durationText(openFor)}: vacuum must keep all that it may see`;

function adviceFor({ kind, name }: XminHolder): string {
  switch (kind) {
    case "session":
      return `end it: select pg_terminate_backend(${name})`;
    case "prepared transaction":
      return `end it: rollback prepared '${name}'`;
    case "replication slot":
      return `bring its reader back, or drop it: select pg_drop_replication_slot('${name}')`;
  }
}
