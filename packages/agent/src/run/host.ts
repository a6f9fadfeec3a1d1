import { type Agent, contract, type Operations } from "@holdfast/workflow";
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
 * policy. Throws a `ContractFault` when an operation has no handler.
 */
export function host<O extends Operations>(
  agent: Agent<O>,
  handlers: Handlers<Agent<O>>,
  { concurrency = null, resilience = {} }: HostOptions = {},
): HostedAgent {
  const { name, operations } = agent[contract];
  const code = {
    name,
    operations: bindOperations(operations, handlers),
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
