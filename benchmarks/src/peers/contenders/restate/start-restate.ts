import { batchesOfOrders, newOrder } from "../../../order.ts";
import { completions } from "../../completions.ts";
import type { DecisionContext, Started } from "../../contender-program.ts";
import { inFlight } from "../../in-flight.ts";
import { connectIngress } from "./ingress.ts";
import { type Handler, type RestateSdk, sdkName } from "./sdk.ts";
import { type RestateServer, startServer } from "./start-server.ts";

export interface RestateOptions {
  /** What is done with an order. */
  readonly processOrder: Handler;
  /** Starts what the handler calls, and resolves to the ids of its processes. */
  readonly startSteps: (server: RestateServer) => Promise<Started["pids"]>;
}

/** Restate as something to be measured; the handler of orders is served by this process. */
export async function startRestate(
  owner: AsyncDisposableStack,
  surroundings: DecisionContext,
  { processOrder, startSteps }: RestateOptions,
): Promise<Started> {
  const sdk = await surroundings.peer<RestateSdk>(sdkName);
  const server = await startServer(owner, surroundings);
  const steps = await startSteps(server);
  const processed = completions();
  const act: Handler = async (context, order) => {
    await processOrder(context, order);
    processed.report(order.id);
  };
  const orders = sdk.service({ name: "Orders", handlers: { act } });
  await server.register(await sdk.serve({ port: 0, services: [orders] }));

  const post = connectIngress(server.ingressPort, { sockets: 100 });
  const one = () => post("/Orders/act", newOrder());
  return {
    pids: { restate: server.pid, ...steps },
    subject: {
      async backlog(count) {
        const all: Promise<void>[] = [];
        for (const some of batchesOfOrders(count, 100)) {
          all.push(...some.map(({ id }) => processed.of(id)));
          await Promise.all(some.map((order) => post("/Orders/act/send", order)));
        }
        await Promise.all(all);
      },
      inFlight: (times, width) => inFlight(one, { times, width }),
      one,
    },
  };
}
