import {
  defineService,
  type Environment,
  runService,
  type Service,
  unlessAborted,
} from "@holdfast/runtime";
import type { Agent, Operations } from "@holdfast/workflow";
import type { Static, TObject } from "typebox";
import type { Handlers } from "../contract/handlers.ts";
import { AgentConfig, agentBrokerOf } from "./agent-config.ts";
import { type HostedAgent, type HostOptions, host } from "./host.ts";
import { type AgentLogger, type RunningAgents, startAgents } from "./start-agents.ts";

/**
 * Runs one Agent until the process receives SIGTERM or SIGINT. Start as many processes as you need.
 */
export const runAgent = <O extends Operations>(
  agent: Agent<O>,
  handlers: Handlers<Agent<O>>,
  options: HostOptions = {},
): Promise<void> => {
  const hosted = host(agent, handlers, options);
  return runAgents(`${hosted.name}-agent`, AgentConfig, () => [hosted]);
};

/** Says which Agents run, by the configuration and the environment that it was read from. */
type ChooseAgents<Config> = (
  config: Config,
  env: Environment,
  log: AgentLogger,
) => readonly HostedAgent[] | Promise<readonly HostedAgent[]>;

/** Runs several Agents as a process: `agentsService` until SIGTERM or SIGINT. */
export const runAgents = <Schema extends TObject<typeof AgentConfig.properties>>(
  name: string,
  schema: Schema,
  choose: ChooseAgents<Static<Schema>>,
): Promise<void> => runService(agentsService(name, schema, choose));

/**
 * Several Agents as a service: `startAgents` with configuration from the environment, logs, health
 * routes and an orderly stop.
 */
export const agentsService = <Schema extends TObject<typeof AgentConfig.properties>>(
  name: string,
  schema: Schema,
  choose: ChooseAgents<Static<Schema>>,
): Service<Schema> =>
  defineService(name, schema, async (service) => {
    const { config, env, log, health, optimisations } = service;
    // A module that is loaded for that may wait for something that never comes.
    const chosen = Promise.resolve(choose(config, env, log));
    const agents = await unlessAborted(chosen, service.signal);
    const base = config as AgentConfig;
    // Registered before the broker is connected: until then the service is not ready.
    let running: RunningAgents | null = null;
    const access = service.access("BROKER_URL");
    health.check("broker", () => running?.isReady ?? false, access.trouble);
    await using started = await startAgents({
      broker: agentBrokerOf(base, access),
      signal: service.signal,
      agents,
      logger: log,
      concurrency: base.CONCURRENCY,
      bundling: base.BUNDLING === "on" && optimisations.bundles,
      instance: service.instanceId,
      failpoint: service.failpoint,
      metrics: service.metrics,
      tracing: service.tracing,
    });
    running = started;
    service.ready({ agents: agents.map((agent) => agent.name) });
    await service.stopped;
  });
