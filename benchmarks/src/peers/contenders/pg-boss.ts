import { batchesOfOrders, newOrder, type Order } from "../../order.ts";
import { completions } from "../completions.ts";
import { runContender } from "../contender-program.ts";
import { inFlight } from "../in-flight.ts";

interface Job {
  readonly id: string;
  readonly data: Order;
}

/** A transaction, as its handlers are given it. */
interface Transaction {
  readonly executeSql: unknown;
}

interface Boss {
  on(event: "error", listener: (error: Error) => void): void;
  start(): Promise<unknown>;
  stop(options: Readonly<Record<string, unknown>>): Promise<void>;
  createQueue(name: string, options: Readonly<Record<string, unknown>>): Promise<void>;
  send(queue: string, order: Order): Promise<unknown>;
  insert(
    queue: string,
    jobs: readonly { readonly data: Order }[],
    options?: { readonly db: Transaction },
  ): Promise<unknown>;
  work(
    queue: string,
    options: Readonly<Record<string, unknown>>,
    handler: (jobs: readonly Job[], db: Transaction) => Promise<void>,
  ): Promise<unknown>;
}

interface PgBossPackage {
  readonly PgBoss: new (options: Readonly<Record<string, unknown>>) => Boss;
}

/** The step after, by step. */
const next = { first: "second", second: "third", third: null } as const;

const working = {
  batchSize: 100,
  localConcurrency: 2,
  burstWhenBatchFull: true,
  pollingIntervalSeconds: 0.5,
  // The next step's jobs are there if and only if this one's are done, and one commit does both.
  transactional: true,
};

await runContender(async (owner, { databaseUrl, peer }) => {
  const { PgBoss } = await peer<PgBossPackage>("pg-boss");
  const boss = new PgBoss({ connectionString: databaseUrl, max: 20, useListenNotify: true });
  const processed = completions();
  boss.on("error", (error) => process.stderr.write(`${error.stack}\n`));
  await boss.start();
  owner.defer(() => boss.stop({ graceful: false }));

  for (const [step, following] of Object.entries(next)) {
    await boss.createQueue(step, { notify: true, partition: true });
    await boss.work(step, working, async (jobs, db) => {
      if (following === null) for (const { data } of jobs) processed.report(data.id);
      else
        await boss.insert(
          following,
          jobs.map(({ data }) => ({ data })),
          { db },
        );
    });
  }

  const one = async () => {
    const order = newOrder();
    const done = processed.of(order.id);
    await boss.send("first", order);
    await done;
  };
  return {
    pids: {},
    subject: {
      async backlog(orders) {
        const all: Promise<void>[] = [];
        for (const some of batchesOfOrders(orders, 200)) {
          all.push(...some.map(({ id }) => processed.of(id)));
          await boss.insert(
            "first",
            some.map((data) => ({ data })),
          );
        }
        await Promise.all(all);
      },
      inFlight: (times, width) => inFlight(one, { times, width }),
      one,
    },
  };
});
