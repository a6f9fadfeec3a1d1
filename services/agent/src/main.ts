import { runAgents } from "@holdfast/agent";
import { AgentHostConfig } from "./config.ts";
import { loadAgents } from "./load-agents.ts";

await runAgents("agent", AgentHostConfig, ({ AGENT_MODULES, AGENTS }) =>
  loadAgents({
    modules: AGENT_MODULES.split(","),
    wanted: AGENTS?.split(",") ?? null,
    folder: process.cwd(),
    env: process.env,
  }),
);
