import { startService } from "@holdfast/processes";
import { runContender } from "../../contender-program.ts";
import { stepServices } from "./sdk.ts";
import { startRestate } from "./start-restate.ts";

/** Restate whose steps are services in another process: those that `program` serves. */
export const runWithServices = (program: "steps.ts" | "recorded-steps.ts"): Promise<void> =>
  runContender((owner, surroundings) =>
    startRestate(owner, surroundings, {
      async processOrder(context, order) {
        for (const name of stepServices) await context.serviceClient({ name }).act(order);
      },
      async startSteps(server) {
        const steps = owner.use(
          await startService({
            service: `benchmarks/src/peers/contenders/restate/${program}`,
            env: { PEERS_FOLDER: surroundings.peersFolder },
          }),
        );
        await server.register(Number(steps.ready["port"]));
        return { steps: steps.pid };
      },
    }),
  );
