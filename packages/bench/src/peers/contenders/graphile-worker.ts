import { batchesOfOrders, newOrder, type Order } from "../../order.ts";
import { completions } from "../completions.ts";
import { runContender } from "../contender-program.ts";
import { inFlight } from "../in-flight.ts";

interface NewJob {
  readonly identifier: string;
  readonly payload: Order;
}

interface Helpers {
  readonly addJob: (identifier: string, payload: Order) => Promise<unknown>;
}

type Task = (order: Order, helpers: Helpers) => Promise<void>;

interface Runner extends Helpers {
  addJobs(jobs: readonly NewJob[]): Promise<unknown>;
  stop(): Promise<void>;
}

interface GraphileWorker {
  readonly Logger: new (logs: () => () => void) => unknown;
  readonly run: (options: {
    readonly preset: { readonly worker: Readonly<Record<string, unknown>> };
    readonly taskList: Readonly<Record<string, Task>>;
    readonly noHandleSignals: boolean;
  }) => Promise<Runner>;
}

const concurrentJobs = 24;

await runContender(async (owner, { databaseUrl, peer }) => {
  const { run, Logger } = await peer<GraphileWorker>("graphile-worker");
  const processed = completions();
  const runner = await run({
    noHandleSignals: true,
    preset: {
      worker: {
        connectionString: databaseUrl,
        concurrentJobs,
        maxPoolSize: concurrentJobs + 2,
        localQueue: { size: 100 },
        // Those that end together are completed by one statement.
        completeJobBatchDelay: 0,
        logger: new Logger(() => () => {}),
      },
    },
    taskList: {
      first: async (order, { addJob }) => void (await addJob("second", order)),
      second: async (order, { addJob }) => void (await addJob("third", order)),
      third: async ({ id }) => processed.report(id),
    },
  });
  owner.defer(() => runner.stop());

  const one = async () => {
    const order = newOrder();
    const done = processed.of(order.id);
    await runner.addJob("first", order);
    await done;
  };
  return {
    pids: {},
    subject: {
      async backlog(orders) {
        const all: Promise<void>[] = [];
        for (const some of batchesOfOrders(orders, 200)) {
          all.push(...some.map(({ id }) => processed.of(id)));
          await runner.addJobs(some.map((payload) => ({ identifier: "first", payload })));
        }
        await Promise.all(all);
      },
      inFlight: (times, width) => inFlight(one, { times, width }),
      one,
    },
  };
});
