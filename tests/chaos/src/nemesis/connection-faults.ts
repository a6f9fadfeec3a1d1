import { between } from "./chance.ts";
import type { FaultClass } from "./fault-class.ts";

/** A Postgres that comes and goes, or does not let anybody in. */
export const storeFaults: readonly FaultClass[] = [
  {
    name: "backends-terminated",
    server: "store",
    weight: 3,
    async strike({ environment }) {
      const recoverFrom = Date.now();
      await environment.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name <> '' and pid <> pg_backend_pid()",
      );
      return { target: "all connections to the store", recoverFrom };
    },
  },
  ...(["fast", "immediate"] as const).map(
    (mode): FaultClass => ({
      name: `postgres-restarted-${mode}`,
      server: "store",
      weight: 1,
      async strike({ environment }) {
        await environment.postgres.restart(mode);
        return { target: "postgres" };
      },
    }),
  ),
  {
    name: "table-locked",
    server: "store",
    weight: 2,
    async strike({ environment, random }) {
      const seconds = between(500, 4_000, random) / 1_000;
      await environment.query(
        `begin; lock table state.steps in access exclusive mode; select pg_sleep(${seconds}); commit`,
      );
      return { target: `state.steps for ${seconds} s` };
    },
  },
];
