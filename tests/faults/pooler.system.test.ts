import { createDatabase, startLocalStack } from "@holdfast/local-stack";
import type { SampleKind } from "@holdfast/orders";
import { findPgbouncer } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { allRight, retried, startFaultySystem, temporaryFolder, until } from "./faulty-system.ts";

/** Skipped, and counted as such, where PgBouncer is not installed. */
const testWithPgbouncer = findPgbouncer() === null ? test.skip : test;

const mixed: readonly SampleKind[] = Array.from({ length: 40 }, (_, index) =>
  index % 4 === 3 ? "declined" : "good",
);

testWithPgbouncer(
  "behind PgBouncer in transaction mode a Scheduler and an Agent are killed, and Postgres is restarted: every order ends as it should",
  async () => {
    await using stack = new AsyncDisposableStack();
    const folder = stack.use(await temporaryFolder());
    const servers = stack.use(await startLocalStack({ purpose: "demo", dataFolder: folder.path }));
    const database = stack.use(await createDatabase(servers.postgres.url));
    const faulty = stack.use(
      await startFaultySystem({
        apart: "all",
        pooler: true,
        count: { scheduler: 2, agent: 2 },
        servers: { stateStoreUrl: database.url, broker: servers.broker },
      }),
    );
    const ids = await faulty.submit(mixed);
    await until(async () => (await faulty.query(underWay)).length > 0);
    for (const name of ["scheduler", "agent"] as const) {
      faulty.system.running(name)[0]?.signal("SIGKILL");
    }
    await servers.postgres.restart("immediate");
    const late = await retried(() => faulty.order("good", 1, { "idempotency-key": "late" }));
    expect(await faulty.verdict([...ids, late])).toEqual(allRight({ processed: 31, undone: 10 }));
  },
);

// Not `confirmed_at`: a step that is answered soon is never marked.
const underWay = "select 1 from state.events where action = 'claim'";
