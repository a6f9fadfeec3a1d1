import { randomUUID } from "node:crypto";
import { batchesOfOrders, newOrder, type Order } from "../../order.ts";
import { runContender } from "../contender-program.ts";
import { inFlight } from "../in-flight.ts";

interface Dbos {
  setConfig(config: Readonly<Record<string, unknown>>): void;
  launch(): Promise<void>;
  shutdown(): Promise<void>;
  runStep<Result>(step: () => Promise<Result>, config: { readonly name: string }): Promise<Result>;
  registerWorkflow<Input>(
    workflow: (input: Input) => Promise<unknown>,
    config: { readonly name: string },
  ): (input: Input) => Promise<unknown>;
  startWorkflow<Input>(
    workflow: (input: Input) => Promise<unknown>,
  ): (input: Input) => Promise<{ getResult(): Promise<unknown> }>;
}

const act = async () => ({ ok: true });

await runContender(async (owner, { databaseUrl, peer }) => {
  const { DBOS } = await peer<{ readonly DBOS: Dbos }>("@dbos-inc/dbos-sdk");
  const processOrder = DBOS.registerWorkflow(
    async (_order: Order) => {
      await DBOS.runStep(act, { name: "first" });
      await DBOS.runStep(act, { name: "second" });
      await DBOS.runStep(act, { name: "third" });
    },
    { name: "three-steps" },
  );
  DBOS.setConfig({
    name: "bench",
    // Workflows of a backlog wait long for one of its connections: let them.
    systemDatabaseUrl: `${databaseUrl}?connect_timeout=600`,
    systemDatabasePoolSize: 20,
    // Two processes are two executors, or the one would recover what the other is at.
    executorID: randomUUID(),
    logLevel: "error",
  });
  await DBOS.launch();
  owner.defer(() => DBOS.shutdown());

  const start = (order: Order) => DBOS.startWorkflow(processOrder)(order);
  const one = async () => void (await (await start(newOrder())).getResult());
  return {
    pids: {},
    subject: {
      // A workflow begins in the process that starts it. A queue would add a transaction to each.
      async backlog(orders) {
        const results: Promise<unknown>[] = [];
        for (const some of batchesOfOrders(orders, 100)) {
          const handles = await Promise.all(some.map(start));
          results.push(...handles.map((handle) => handle.getResult()));
        }
        await Promise.all(results);
      },
      inFlight: (times, width) => inFlight(one, { times, width }),
      one,
    },
  };
});
