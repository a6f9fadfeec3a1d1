import { runContender } from "../contender-program.ts";
import { startRestate } from "./restate/start-restate.ts";

await runContender((owner, surroundings) =>
  startRestate(owner, surroundings, {
    async processOrder(context) {
      await context.run("first", act);
      await context.run("second", act);
      await context.run("third", act);
    },
    startSteps: async () => ({}),
  }),
);

async function act() {
  return { ok: true };
}
