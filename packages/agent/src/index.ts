export { PermanentFault, TransientFault } from "@holdfast/domain";
export type { EffectOf, Handlers, StepContext } from "./handlers.ts";
export type { ProtectionOptions } from "./protection.ts";
export { AgentConfig, runAgent, runAgents } from "./run-agents.ts";
export { type HostedAgent, host } from "./serve-agent.ts";
