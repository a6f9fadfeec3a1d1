import type { FoundPooler, KeptOptions, Migrations } from "@holdfast/state-store";
import { type Finding, fine, wrong } from "./finding.ts";

/** Whether the store has the schema of this release. */
export function checkSchema({ applied, pending, unknown }: Migrations): readonly Finding[] {
  if (applied.length === 0) {
    return [
      wrong(
        "store.schema",
        "there is no state store in this database",
        "look at STATE_STORE_URL, or run the migrations",
      ),
    ];
  }
  // A later release adds migrations, and lacks none of this one.
  if (applied.length === unknown.length || (unknown.length > 0 && pending.length > 0)) {
    return [
      wrong(
        "store.schema",
        `an earlier checkout of Holdfast made this store, which cannot be upgraded: ${unknown.join(", ")}`,
        "use an empty database, or start a demo with --fresh",
      ),
    ];
  }
  if (pending.length > 0) {
    return [
      wrong(
        "store.schema",
        `migrations are missing: ${pending.join(", ")}`,
        "run the migrations of this release before its services",
      ),
    ];
  }
  const later = unknown.length > 0 ? `, and ${unknown.join(", ")} of a later release` : "";
  return [
    fine(
      "store.schema",
      `migrations: ${applied.length - unknown.length} applied, none missing${later}`,
    ),
  ];
}

export interface PoolerFacts {
  readonly pooler: FoundPooler;
  readonly options: KeptOptions;
}

/** Whether a pooler stands between, and whether the services can live with it. */
export function checkPooler({ pooler, options }: PoolerFacts): readonly Finding[] {
  const between = {
    none: "no pooler in between",
    session: "a pooler in between, by session",
    transaction: "a pooler in between, by transaction",
  }[pooler];
  switch (options) {
    case "kept":
      return [fine("store.pooler", between)];
    case "lost":
      return [
        wrong(
          "store.pooler",
          `${between}: the planner settings that services ask for do not arrive`,
          "let it pass start-up options on, give the services' logins these settings (alter role … set plan_cache_mode = force_generic_plan and the others of decision 0013), or connect to Postgres itself",
        ),
      ];
    case "refused":
      return [
        wrong(
          "store.pooler",
          `${between}: it refuses the start-up options of the services, which cannot connect`,
          "let it pass start-up options on, or connect to Postgres itself",
        ),
      ];
  }
}
