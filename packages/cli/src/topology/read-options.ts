import { readArguments, usageFault } from "../read-arguments.ts";
import { settingFrom } from "../settings.ts";

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

export const topologyUsage = `holdfast topology print|check|apply --users FILE [options]

Makes RabbitMQ's users, rights, queues, exchanges and bindings from one list of users and the stored workflows.

  print   write the definitions that RabbitMQ imports, as JSON
  check   compare a broker with them, and say what differs
  apply   say what differs, import it, and say what is left

  --users FILE             YAML or JSON: one line for each user, such as payments: agent
  --passwords env|FILE     env: NAME_PASSWORD or NAME_PASSWORD_FILE for each user; FILE: JSON, user and password.
                           Without it no user is made: rights only
  --agents a,b             further Agents that get a queue
  --one-agent-user NAME    one user for all Agents, in place of those of the list
  --during-upgrade         rights of the release before, too
  --vhost NAME             where it is not that of the broker's URL, or holdfast
  --broker-url URL         instead of BROKER_URL (check without --management-url)
  --management-url URL     instead of BROKER_MANAGEMENT_URL: RabbitMQ's HTTP API, as an administrator (check, apply)
  --state-store-url URL    instead of STATE_STORE_URL: the Agents of the stored workflows get a queue
  --dry-run                say what would be done, and do nothing (apply)
  --yes                    also remove what should not be there (apply)
  --json                   for machines

A URL with a password belongs in a file, which BROKER_MANAGEMENT_URL_FILE, BROKER_URL_FILE or STATE_STORE_URL_FILE
names: others on this machine see command lines.

exit code: 0 as it should be; 1 something differs; 2 wrong use; 5 the server refuses this user;
69 a server does not answer`;

/** Reads the command line of `holdfast topology`. Null: asked for help. Throws `cli.usage`. */
export function readTopologyOptions(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): TopologyOptions | null {
  const { values, positionals } = parse(args);
  if (values.help) return null;
  const [word, ...more] = positionals;
  const act = acts.find((one) => one === word);
  if (act === undefined || more.length > 0)
    throw usageFault("Say what to do: print, check or apply");
  if (values.users === undefined) throw usageFault("Say who connects: --users FILE");
  const given = (option: string | undefined, name: string) => option ?? settingFrom(env, name);
  const brokerUrl = given(values["broker-url"], "BROKER_URL");
  const managementUrl = given(values["management-url"], "BROKER_MANAGEMENT_URL");
  for (const [url, option] of [
    [brokerUrl, "--broker-url"],
    [managementUrl, "--management-url"],
  ] as const) {
    if (url !== null && URL.parse(url) === null) throw usageFault(`${option} is no URL`);
  }
  if (act === "apply" && managementUrl === null) {
    throw usageFault(
      "Say where RabbitMQ's HTTP API is: BROKER_MANAGEMENT_URL_FILE names a file with http://user:password@host:15672",
    );
  }
  if (act === "check" && managementUrl === null && brokerUrl === null) {
    throw usageFault("Say where the broker is: --management-url or --broker-url");
  }
  return {
    act,
    users: values.users,
    agents: (values.agents ?? "").split(",").filter((name) => name !== ""),
    vhost: values.vhost ?? vhostIn(brokerUrl),
    passwords: values.passwords ?? null,
    oneAgentUser: values["one-agent-user"] ?? null,
    duringUpgrade: values["during-upgrade"],
    brokerUrl,
    managementUrl,
    stateStoreUrl: given(values["state-store-url"], "STATE_STORE_URL"),
    dryRun: values["dry-run"],
    yes: values.yes,
  };
}

function parse(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  return readArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      users: text,
      passwords: text,
      agents: text,
      "one-agent-user": text,
      "during-upgrade": flag,
      vhost: text,
      "broker-url": text,
      "management-url": text,
      "state-store-url": text,
      "dry-run": flag,
      yes: flag,
      json: flag,
      help: { ...flag, short: "h" },
    },
  });
}

function vhostIn(brokerUrl: string | null): string {
  const path = brokerUrl === null ? "" : (URL.parse(brokerUrl)?.pathname.slice(1) ?? "");
  return path === "" ? "holdfast" : decodeURIComponent(path);
}
