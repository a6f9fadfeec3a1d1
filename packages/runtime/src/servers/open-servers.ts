import type { Milliseconds, SetupFault } from "@holdfast/domain";
import { type TObject, Type } from "typebox";
import { parseConfig } from "../config/config.ts";
import { defaultSecrets } from "../config/default-secrets.ts";
import { type Environment, fileOf, readVariable } from "../config/read-variable.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { type ServerAccess, serverAccess } from "./server-access.ts";
import type { ServerLog, ServerName } from "./server-words.ts";

const names = {
  BROKER_URL: "broker",
  STATE_STORE_URL: "state store",
} as const satisfies Record<string, ServerName>;

/** The settings that name a server. */
export type ServerSetting = keyof typeof names;

interface OpenServerOptions {
  readonly schema: TObject;
  readonly config: object;
  readonly env: Environment;
  readonly log: ServerLog;
  readonly metrics: Metrics;
  /** Called when a server has refused the login for too long. */
  readonly giveUp: (fault: SetupFault) => void;
}

interface Settings extends Partial<Readonly<Record<ServerSetting, string>>> {
  readonly DEFAULT_SECRETS?: string;
  readonly LOGIN_TIMEOUT?: Milliseconds | null;
}

/** Returns what has one access for each server of a service, however often it is asked for. */
export function openServers(options: OpenServerOptions): (setting: ServerSetting) => ServerAccess {
  const { schema, env, log, metrics, giveUp } = options;
  const config: Settings = options.config;
  const open = new Map<ServerSetting, ServerAccess>();

  const openOne = (setting: ServerSetting): ServerAccess => {
    const read = settingReader(setting, {
      schema,
      env,
      first: config[setting] ?? "",
      areDefaultsAllowed: config.DEFAULT_SECRETS === "allowed",
      onUnusable: (problem) => log.warn({ problem }, "changed setting ignored"),
    });
    const timeout = config.LOGIN_TIMEOUT ?? null;
    return serverAccess({ name: names[setting], read, log, metrics, timeout, giveUp });
  };

  return (setting) => {
    const access = open.get(setting) ?? openOne(setting);
    open.set(setting, access);
    return access;
  };
}

interface ReaderOptions {
  readonly schema: TObject;
  readonly env: Environment;
  /** What it was at the start. */
  readonly first: string;
  readonly areDefaultsAllowed: boolean;
  /** Called when the file holds something that cannot be used; its last usable value stays. */
  readonly onUnusable: (problem: string) => void;
}

/**
 * Reads a setting anew each time, where it is in a file. A text in it that would not do at the
 * start is ignored.
 */
function settingReader(name: string, options: ReaderOptions): () => string {
  const { schema, env, first, areDefaultsAllowed, onUnusable } = options;
  if (fileOf(name, env) === null) return () => first;
  const property = schema.properties[name];
  let usable = first;
  let seen = first;

  const check = (): string => {
    const only = Type.Object(property === undefined ? {} : { [name]: property });
    const read = parseConfig(only, env) as Readonly<Record<string, string>>;
    const [secret] = areDefaultsAllowed ? [] : defaultSecrets(read);
    if (secret !== undefined) throw new Error(secret);
    return read[name] ?? first;
  };

  return () => {
    const { value, problem } = readVariable(name, env);
    const text = value ?? problem ?? "";
    if (text === seen) return usable;
    seen = text;
    try {
      usable = check();
    } catch (error) {
      onUnusable((error as Error).message);
    }
    return usable;
  };
}
