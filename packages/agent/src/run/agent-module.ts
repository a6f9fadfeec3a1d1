import type { Static, TObject } from "typebox";
import type { HostedAgent } from "./host.ts";

/** Agents that need configuration of their own: what a host loads, and turns into Agents. */
export interface ConfiguredAgents {
  /** The environment variables that the Agents read. */
  readonly config: TObject;
  /** Called once, with the checked configuration. */
  readonly create: (config: unknown) => HostedAgent | readonly HostedAgent[];
}

/**
 * Declares Agents that read environment variables. Export the result from an Agent module: the host
 * checks the variables before anything starts, as it checks its own.
 */
export const configureAgents = <Schema extends TObject>(
  config: Schema,
  create: (config: Static<Schema>) => HostedAgent | readonly HostedAgent[],
): ConfiguredAgents => ({ config, create: (values) => create(values as Static<Schema>) });

/** Whether an export of a module is an Agent made by `host`. */
export const isHostedAgent = (exported: unknown): exported is HostedAgent =>
  isObject(exported) && typeof exported["name"] === "string" && isFunction(exported["serve"]);

/** Whether an export of a module was made by `configureAgents`. */
export const isConfiguredAgents = (exported: unknown): exported is ConfiguredAgents =>
  isObject(exported) && isObject(exported["config"]) && isFunction(exported["create"]);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
const isFunction = (value: unknown): boolean => typeof value === "function";
