import { runService } from "@holdfast/runtime";
import type { Agent, Operations } from "@holdfast/workflow";
import type { Static, TObject } from "typebox";
import type { Handlers } from "../contract/handlers.ts";
import { AgentConfig, agentBrokerOf } from "./agent-config.ts";
import { type HostedAgent, type HostOptions, host } from "./host.ts";
import { type RunningAgents, startAgents } from "./start-agents.ts";

/** Runs one Agent until the process receives SIGTERM or SIGINT. Start as many processes as you need. */
export const runAgent = <O extends Operations>(
  agent: Agent<O>,
  handlers: Handlers<Agent<O>>,
  options: HostOptions = {},
): Promise<void> => {
  const hosted = host(agent, handlers, options);
  return runAgents(`${hosted.name}-agent`, AgentConfig, () => [hosted]);
};

/**
 * Runs several Agents as a process: `startAgents` with configuration from the environment, logs, health
 * routes and an orderly stop. `choose` says which Agents, by the configuration.
 */
export const runAgents = <Schema extends TObject<typeof AgentConfig.properties>>(
  name: string,
  schema: Schema,
  choose: (config: Static<Schema>) => readonly HostedAgent[] | Promise<readonly HostedAgent[]>,
): Promise<void> =>
  runService(
    name,
    schema,
    async ({
      config,
      log,
      instanceId,
      stopped,
      health,
      metrics,
      failpoint,
      optimisations,
      tracing,
    }) => {
      const agents = await choose(config);
      const base = config as AgentConfig;
      // Registered before the broker is connected: until then the process is not ready.
      let running: RunningAgents | null = null;
      health.check("broker", () => running?.isReady ?? false);
      await using started = await startAgents({
        broker: agentBrokerOf(base),
        agents,
        logger: log,
        concurrency: base.CONCURRENCY,
        batching: base.BATCHING === "on" && optimisations.bundles,
        instance: instanceId,
        failpoint,
        metrics,
        tracing,
      });
      running = started;
      log.info({ agents: agents.map((agent) => agent.name) }, "ready");
      await stopped;
    },
  );
