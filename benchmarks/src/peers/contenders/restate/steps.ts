import { serveSteps } from "./serve-steps.ts";

// The reply of a service is durable by itself: a `run` around its one deed would only cost.
await serveSteps(async () => ({ ok: true }));
