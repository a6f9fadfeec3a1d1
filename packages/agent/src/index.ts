export { PermanentFault, TransientFault } from "@holdfast/domain";
export type { EffectOf, Handlers, StepContext } from "./handlers.ts";
export type { Protection, ProtectionOptions } from "./protection.ts";
export { AgentConfig, runAgent, runAgents } from "./run-agents.ts";
export { type HostedAgent, host, hostGuarded } from "./serve-agent.ts";
