import { agentsService } from "@holdfast/agent";
import { AgentHostConfig } from "./config.ts";
import { loadAgents } from "./load-agents.ts";

/** Runs the Agents that its modules export, until its signal to stop. */
export const agentService = agentsService("agent", AgentHostConfig, (config, env, log) =>
  loadAgents({
    modules: config.AGENT_MODULES.split(","),
    wanted: config.AGENT_NAMES?.split(",") ?? null,
    folder: process.cwd(),
    env,
    onWait: (module) => log.warn({ module }, "agent module waits at its top level"),
  }),
);
