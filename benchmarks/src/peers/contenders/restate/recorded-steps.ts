import { serveSteps } from "./serve-steps.ts";

// As its guides write it: what is done outside is recorded by itself, before the service replies.
await serveSteps((context) => context.run("act", async () => ({ ok: true })));
