export { AgentHostConfig } from "./config.ts";
export { loadAgents } from "./load-agents.ts";
