import { runWithServices } from "./restate/run-with-services.ts";

await runWithServices("recorded-steps.ts");
