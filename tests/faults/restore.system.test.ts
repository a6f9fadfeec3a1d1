import { stateOf } from "@holdfast/load";
import { queryOnce } from "@holdfast/local-stack";
import { fulfilOrder } from "@holdfast/orders";
import { withLimits } from "@holdfast/processes";
import { migratedDatabase, testBroker } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import { allRight, type FaultySystem, startFaultySystem, until } from "./faulty-system.ts";

const agents = ["inventory", "payments", "shipping", "notifications"];
const stoppable = ["submission", "scheduler", "supervisor", "agent"] as const;

/** Requests that wait for minutes do not expire while the store is being restored. */
const patient = withLimits(fulfilOrder.definition, {
  name: "fulfil-order-patiently.v1",
  limits: {
    startWithin: 120_000,
    completeWithin: 1_000,
    retry: { failures: 5, backoff: 100, max: 500 },
  },
});

type Service = (typeof stoppable)[number];

async function stop({ system }: FaultySystem, names: readonly Service[] = stoppable) {
  const running = names.flatMap((name) => system.running(name));
  await Promise.all(running.map((service) => service[Symbol.asyncDispose]()));
}

const start = ({ system }: FaultySystem, names: readonly Service[] = stoppable) =>
  Promise.all(names.map((name) => system.start(name)));

/** Makes a database the copy of another, and ends all connections to either. */
async function copy(serverUrl: string, from: string, to: string): Promise<void> {
  const admin = new URL(serverUrl);
  admin.pathname = "/postgres";
  const ask = (sql: string) => queryOnce(admin.href, sql);
  await ask(`drop database if exists "${to}" with (force)`);
  await until(async () => {
    await ask(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${from}'`);
    return ask(`create database "${to}" template "${from}"`).then(
      () => true,
      () => false,
    );
  });
}

const effectsOf = async ({ system }: FaultySystem, ids: readonly string[]) => {
  const response = await fetch(`${system.partnersUrl}/ledger/balance`);
  const { keys } = (await response.json()) as { readonly keys: readonly { key: string }[] };
  return keys.filter(({ key }) => ids.includes(key.split(":")[0] ?? ""));
};

test("after a restore to an earlier time, known orders are processed again, and unknown ones are not", async () => {
  await using database = await migratedDatabase();
  await using broker = await testBroker();
  const name = new URL(database.url).pathname.slice(1);
  await using faulty = await startFaultySystem({
    servers: { stateStoreUrl: database.url, broker },
  });
  /**
   * Resolves once a request waits in the queue of an Agent that does not run. It may be the only
   * one: an Agent without consumers gets one of each lane.
   */
  const requested = () =>
    until(async () => {
      const processing = "select 1 from state.steps where process_state = 'processing'";
      return (await faulty.query(processing)).length > 0 && (await depth()) > 0;
    });
  const depth = async () => {
    const depths = await Promise.all(agents.map((agent) => broker.depth(`agent.${agent}`)));
    return depths.reduce((sum, count) => sum + count, 0);
  };

  // In the dump these orders are in flight; after it they are done.
  await stop(faulty, ["agent"]);
  const known = await faulty.submit(["good", "good", "declined"]);
  await requested();
  await stop(faulty);
  await copy(database.url, name, `${name}_dump`);
  try {
    await start(faulty);
    const expected = allRight({ processed: 2, undone: 1 });
    expect(await faulty.verdict(known)).toEqual(expected);

    // These come after the dump: what asks for their first step waits in a queue.
    await stop(faulty, ["agent"]);
    const unknown = await faulty.submit(["good", "good"], patient);
    await requested();

    // The runbook of docs/guides/operations.md.
    await stop(faulty);
    expect(await depth()).toBeGreaterThan(0);
    for (const agent of agents) await broker.purge(`agent.${agent}`);
    await copy(database.url, `${name}_dump`, name);
    await start(faulty);

    expect(await faulty.verdict(known)).toEqual(expected);
    for (const id of unknown) expect(await stateOf(faulty.system, id)).toBe("unknown");
    expect(await effectsOf(faulty, unknown)).toEqual([]);
  } finally {
    await queryOnce(database.url, `drop database if exists "${name}_dump" with (force)`);
  }
});
