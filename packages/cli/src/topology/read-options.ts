import { errorText } from "@holdfast/domain";
import { readBrokerUrl, readManagementUrl } from "@holdfast/runtime";
import { UsageError } from "../api/usage-error.ts";
import type { Invocation } from "../api/verb.ts";
import { settingFrom } from "../direct/settings.ts";

const acts = ["print", "check", "apply"] as const;

export interface TopologyOptions {
  readonly act: (typeof acts)[number];
  /** The file with the list of users. */
  readonly users: string;
  /** Agents that are neither users nor called by a stored workflow. */
  readonly agents: readonly string[];
  readonly vhost: string;
  /** `env`, or a file with a password for each user; null: users are not made. */
  readonly passwords: string | null;
  /** One user in place of all of the role `agent`. */
  readonly oneAgentUser: string | null;
  readonly duringUpgrade: boolean;
  readonly brokerUrl: string | null;
  readonly managementUrl: string | null;
  /** The URL of the state store, which knows the workflows; null: they are not asked for. */
  readonly stateStoreUrl: string | null;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/** Reads the options of `holdfast topology`. Throws a `UsageError`. */
export function readTopologyOptions({
  operands: [word],
  text,
  flag,
  io,
}: Pick<Invocation, "operands" | "text" | "flag" | "io">): TopologyOptions {
  const act = acts.find((one) => one === word);
  const users = text("users");
  if (act === undefined) throw new UsageError("Say what to do: print, check or apply");
  if (users === undefined) throw new UsageError("Say who connects: --users FILE");
  const given = (option: string, name: string) => text(option) ?? settingFrom(io.env, name);
  const brokerUrl = given("broker-url", "BROKER_URL");
  const managementUrl = given("management-url", "BROKER_MANAGEMENT_URL");
  mustBeUrl(brokerUrl, "--broker-url", readBrokerUrl);
  mustBeUrl(managementUrl, "--management-url", readManagementUrl);
  if (act === "apply" && managementUrl === null) {
    throw new UsageError(
      "Say where RabbitMQ's HTTP API is: BROKER_MANAGEMENT_URL_FILE names a file with http://user:password@host:15672",
    );
  }
  if (act === "check" && managementUrl === null && brokerUrl === null) {
    throw new UsageError("Say where the broker is: --management-url or --broker-url");
  }
  return {
    act,
    users,
    agents: (text("agents") ?? "").split(",").filter((name) => name !== ""),
    vhost: text("vhost") ?? vhostIn(brokerUrl),
    passwords: text("passwords") ?? null,
    oneAgentUser: text("one-agent-user") ?? null,
    duringUpgrade: flag("during-upgrade"),
    brokerUrl,
    managementUrl,
    stateStoreUrl: given("state-store-url", "STATE_STORE_URL"),
    dryRun: flag("dry-run"),
    yes: flag("yes"),
  };
}

/** Reads a URL as what connects with it will. */
function mustBeUrl(
  url: string | null,
  option: string,
  read: (url: string, setting: string) => unknown,
): void {
  if (url === null) return;
  if (!url.includes("://")) throw new UsageError(`${option} is no URL`);
  try {
    read(url, option);
  } catch (error) {
    throw new UsageError(errorText(error));
  }
}

/** The virtual host of services with this URL. */
const vhostIn = (brokerUrl: string | null): string =>
  brokerUrl === null ? "holdfast" : readBrokerUrl(brokerUrl).vhost;
