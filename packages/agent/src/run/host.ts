import { type Agent, type AgentContract, contract, type Operations } from "@holdfast/workflow";
import { isRefused, refuse } from "@holdfast/workflow/check";
import {
  type ResilienceOptions,
  type ResiliencePolicy,
  resiliencePolicy,
} from "../attempt/resilience-policy.ts";
import type { Handlers } from "../contract/handlers.ts";
import { type AnyHandlers, bindOperations } from "../contract/operations.ts";
import { type ServedAgent, type ServeOptions, serveAgent } from "../serve/serve-agent.ts";

/** An Agent with its handlers, ready to run. */
export interface HostedAgent {
  readonly name: string;
  readonly contract: { readonly name: string; readonly operations: Operations };
  readonly handlers: AnyHandlers;
  /** How many steps it performs at the same time; null: what the process allows. */
  readonly concurrency: number | null;
  /**
   * Whether this only stands for an Agent that is refused, while its module is loaded for the
   * others.
   */
  readonly isRefused?: true;
  /** Consumes its queue on this broker. */
  serve(options: ServeOptions): Promise<ServedAgent>;
}

export interface HostOptions {
  /**
   * How many steps this Agent performs at the same time; what the process allows unless said
   * otherwise.
   */
  readonly concurrency?: number | null;
  /** Retries and circuit breaker around the remote service: settings, or a policy of your own. */
  readonly resilience?: ResilienceOptions | ResiliencePolicy;
}

/**
 * Puts an Agent and its handlers together. All its instances in one process share one resilience
 * policy. Throws a `ContractFault` when an operation has no handler. While a module is loaded for
 * all that it has, such an Agent is listed as refused instead, as by `defineAgent`.
 */
export function host<O extends Operations>(
  agent: Agent<O>,
  handlers: Handlers<Agent<O>>,
  options: HostOptions = {},
): HostedAgent {
  const { name } = agent[contract];
  // What `defineAgent` refused is listed already.
  if (isRefused(agent[contract])) return refusedAgent(agent[contract], handlers);
  try {
    return bind(agent, handlers, options);
  } catch (error) {
    refuse({ kind: "Agent", name, error });
    return refusedAgent(agent[contract], handlers);
  }
}

function bind<O extends Operations>(
  agent: Agent<O>,
  handlers: Handlers<Agent<O>>,
  { concurrency = null, resilience = {} }: HostOptions,
): HostedAgent {
  const { name } = agent[contract];
  const code = {
    name,
    operations: bindOperations(agent[contract], handlers),
    resiliencePolicy: "call" in resilience ? resilience : resiliencePolicy(resilience),
  };
  return {
    name,
    contract: agent[contract],
    handlers,
    concurrency,
    serve: (options) =>
      serveAgent(code, { ...options, concurrency: concurrency ?? options.concurrency }),
  };
}

const refusedAgent = (refused: AgentContract, handlers: AnyHandlers): HostedAgent => ({
  name: refused.name,
  contract: refused,
  handlers,
  concurrency: null,
  isRefused: true,
  serve: async () => {
    throw new Error(`The Agent ${refused.name} is refused`);
  },
});
