import { startService } from "@holdfast/local-system";
import { runContender } from "../contender-program.ts";
import { stepServices } from "./restate/sdk.ts";
import { startRestate } from "./restate/start-restate.ts";

await runContender((owner, surroundings) =>
  startRestate(owner, surroundings, {
    async processOrder(context, order) {
      for (const name of stepServices) await context.serviceClient({ name }).act(order);
    },
    async startSteps(server) {
      const steps = owner.use(
        await startService({
          service: "packages/bench/src/peers/contenders/restate/steps.ts",
          env: { PEERS_FOLDER: surroundings.peersFolder },
        }),
      );
      await server.register(Number(steps.ready["port"]));
      return { steps: steps.pid };
    },
  }),
);
