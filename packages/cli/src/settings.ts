import { Duration, parseConfig, StateStoreUrl } from "@holdfast/runtime";
import { Type } from "typebox";
import type { CommandLine } from "./command-line.ts";

/** What every command needs. */
export const StoreSettings = Type.Object({ STATE_STORE_URL: StateStoreUrl });

const Spans = Type.Object({
  "--since": Type.Optional(Duration()),
});

/** Options go before the environment: one for `X` silences `X_FILE`, too. */
export function environmentFor(
  { environment }: Pick<CommandLine, "environment">,
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const silenced = Object.keys(environment).map((name) => [`${name}_FILE`, ""] as const);
  return { ...env, ...Object.fromEntries(silenced), ...environment };
}

/** How far back to look, in milliseconds; null: as far as there is something. */
export const sinceOf = ({ since }: Pick<CommandLine, "since">): number | null =>
  parseConfig(Spans, { "--since": since })["--since"] ?? null;
