import { longestSetting, parseConfig, Text } from "@holdfast/runtime";
import { Type } from "typebox";
import { millisecondsOf } from "../api/values.ts";
import type { Invocation, Io } from "../api/verb.ts";

/**
 * A setting of the environment, or what is in the file that `X_FILE` names; null: neither is there.
 */
export const settingFrom = (env: Io["env"], name: string): string | null =>
  parseConfig(Type.Object({ [name]: Type.Optional(Text({ maxLength: longestSetting })) }), env)[
    name
  ] ?? null;

/** The environment variables that options stand for. */
const variables = {
  "state-store-url": "STATE_STORE_URL",
  "broker-url": "BROKER_URL",
  "management-url": "BROKER_MANAGEMENT_URL",
} as const;

/** Options go before the environment: one for `X` silences `X_FILE`, too. */
export function environmentFor({ text, io }: Pick<Invocation, "text" | "io">): Io["env"] {
  const given = Object.entries(variables).flatMap(([option, variable]) => {
    const value = text(option);
    return value === undefined ? [] : [{ [`${variable}_FILE`]: "", [variable]: value }];
  });
  return Object.assign({}, io.env, ...given) as Io["env"];
}

/** The duration that an option gives, in milliseconds; null: it is not said. */
export function durationOf({ text }: Pick<Invocation, "text">, option: string): number | null {
  const given = text(option);
  return given === undefined ? null : millisecondsOf(given, `--${option}`);
}
