import {
  BrokerManagementUrl,
  BrokerUrl,
  Duration,
  parseConfig,
  StateStoreUrl,
  Text,
} from "@holdfast/runtime";
import { Type } from "typebox";
import type { CommandLine } from "./command-line.ts";

/** What every command needs. */
export const StoreSettings = Type.Object({ STATE_STORE_URL: StateStoreUrl });

/** The settings of `why`, which can say much without a broker. */
export const WhySettings = Type.Object({
  STATE_STORE_URL: StateStoreUrl,
  BROKER_URL: Type.Optional(BrokerUrl),
  BROKER_MANAGEMENT_URL: Type.Optional(BrokerManagementUrl),
});

/** The settings of a command that looks at the broker as well. */
export const SystemSettings = Type.Object({
  STATE_STORE_URL: StateStoreUrl,
  BROKER_URL: BrokerUrl,
  BROKER_MANAGEMENT_URL: Type.Optional(BrokerManagementUrl),
});

const Spans = Type.Object({
  "--since": Type.Optional(Duration()),
  "--consumer-timeout": Type.Optional(Duration()),
  "--open-for": Type.Optional(Duration()),
});

/** A setting of the environment, or what is in the file that `X_FILE` names; null: neither is there. */
export const settingFrom = (env: NodeJS.ProcessEnv, name: string): string | null =>
  parseConfig(Type.Object({ [name]: Type.Optional(Text({ maxLength: 4_000 })) }), env)[name] ??
  null;

/** Options go before the environment: one for `X` silences `X_FILE`, too. */
export function environmentFor(
  { environment }: Pick<CommandLine, "environment">,
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const silenced = Object.keys(environment).map((name) => [`${name}_FILE`, ""] as const);
  return { ...env, ...Object.fromEntries(silenced), ...environment };
}

/** The durations of the command line, in milliseconds; null: not said. */
export function spansOf(line: Pick<CommandLine, "since" | "consumerTimeout" | "openFor">): {
  readonly since: number | null;
  readonly consumerTimeout: number | null;
  readonly openFor: number | null;
} {
  const spans = parseConfig(Spans, {
    "--since": line.since,
    "--consumer-timeout": line.consumerTimeout,
    "--open-for": line.openFor,
  });
  return {
    since: spans["--since"] ?? null,
    consumerTimeout: spans["--consumer-timeout"] ?? null,
    openFor: spans["--open-for"] ?? null,
  };
}
