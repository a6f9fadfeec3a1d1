import { setTimeout as sleep } from "node:timers/promises";
import { AgentConfig, host, runAgents } from "@holdfast/agent";
import { crane, liftMs } from "./crane.ts";

/** An Agent whose calls take a while: how many it makes at a time is what counts. */
await runAgents("agent", AgentConfig, () => [
  host(crane, { lift: () => sleep(liftMs, { ok: true }) }),
]);
