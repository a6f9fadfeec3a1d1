export { agentCode, PermanentFault, TransientFault } from "@holdfast/domain";
export {
  type CircuitHealth,
  type ResilienceOptions,
  type ResiliencePolicy,
  resiliencePolicy,
} from "./attempt/resilience-policy.ts";
export type { EffectOf, Handlers, Progress, StepContext } from "./contract/handlers.ts";
export type { AnyHandlers } from "./contract/operations.ts";
export { AgentConfig } from "./run/agent-config.ts";
export {
  type ConfiguredAgents,
  configureAgents,
  isConfiguredAgents,
  isHostedAgent,
} from "./run/agent-module.ts";
export { type HostedAgent, type HostOptions, host } from "./run/host.ts";
export { agentsService, runAgent, runAgents } from "./run/run-agents.ts";
export { sendHeartbeats } from "./run/send-heartbeats.ts";
export {
  type AgentBroker,
  type AgentLogger,
  type RunningAgents,
  refuseDuplicates,
  type StartAgentsOptions,
  startAgents,
} from "./run/start-agents.ts";
