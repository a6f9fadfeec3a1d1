import { setTimeout as sleep } from "node:timers/promises";
import { AgentConfig, host, runAgents } from "@holdfast/agent";
import { callMs, slow } from "./workflow.ts";

await runAgents("bench-slow-agent", AgentConfig, () => [
  host(slow, { act: () => sleep(callMs, { ok: true }) }),
]);
