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
  stop(): Promise<void>;
}

interface WorkerUtils {
  addJobs(jobs: readonly NewJob[]): Promise<unknown>;
  release(): Promise<void>;
}

interface GraphileWorker {
  readonly Logger: new (logs: () => () => void) => unknown;
  readonly run: (options: {
    readonly preset: { readonly worker: Readonly<Record<string, unknown>> };
    readonly taskList: Readonly<Record<string, Task>>;
    readonly noHandleSignals: boolean;
  }) => Promise<Runner>;
  readonly makeWorkerUtils: (options: {
    readonly connectionString: string;
    readonly logger: unknown;
  }) => Promise<WorkerUtils>;
}

const concurrentJobs = 24;

await runContender(async (owner, { databaseUrl, peer }) => {
  const { run, makeWorkerUtils, Logger } = await peer<GraphileWorker>("graphile-worker");
  const processed = completions();
  const logger = new Logger(() => () => {});
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
        logger,
      },
    },
    taskList: {
      first: async (order, { addJob }) => void (await addJob("second", order)),
      second: async (order, { addJob }) => void (await addJob("third", order)),
      third: async ({ id }) => processed.report(id),
    },
  });
  owner.defer(() => runner.stop());
  const submitter = await makeWorkerUtils({ connectionString: databaseUrl, logger });
  owner.defer(() => submitter.release());

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
          await submitter.addJobs(some.map((payload) => ({ identifier: "first", payload })));
        }
        await Promise.all(all);
      },
      inFlight: (times, width) => inFlight(one, { times, width }),
      one,
    },
  };
});
