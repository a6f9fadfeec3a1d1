import { AgentConfig, host, runAgents } from "@holdfast/agent";
import { first, second, third } from "./workflow.ts";

/** The remote service does nothing and answers at once: what is measured is everything else. */
const act = async () => ({ ok: true });

await runAgents("bench-agent", AgentConfig, () => [
  host(first, { act }),
  host(second, { act }),
  host(third, { act }),
]);
