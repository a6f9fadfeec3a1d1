import type { Milliseconds, SetupFault } from "@holdfast/domain";
import type { TObject } from "typebox";
import type { Environment } from "../config/read-variable.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { type ServerAccess, serverAccess } from "./server-access.ts";
import type { ServerLog, ServerName } from "./server-words.ts";
import { settingReader } from "./setting-reader.ts";

const names = {
  BROKER_URL: "broker",
  STATE_STORE_URL: "state store",
} as const satisfies Record<string, ServerName>;

/** The settings that name a server. */
export type ServerSetting = keyof typeof names;

interface Options {
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
  readonly LOGIN_PATIENCE?: Milliseconds | null;
}

/** Returns what has one access for each server of a service, however often it is asked for. */
export function openServers(options: Options): (setting: ServerSetting) => ServerAccess {
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
    const patience = config.LOGIN_PATIENCE ?? null;
    return serverAccess({ name: names[setting], read, log, metrics, patience, giveUp });
  };

  return (setting) => {
    const access = open.get(setting) ?? openOne(setting);
    open.set(setting, access);
    return access;
  };
}
