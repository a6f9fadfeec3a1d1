import { chmod, mkdir, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { RabbitmqInstallation } from "./rabbitmq-installation.ts";

export interface RabbitmqNode {
  readonly installation: RabbitmqInstallation;
  /** The folder of everything that belongs to this node. */
  readonly folder: string;
  /** What its name begins with: `holdfast`, where it is the only one. */
  readonly name?: string;
  /** The node whose cluster it joins when it starts for the first time. */
  readonly joins?: string;
  /** What the nodes of a cluster know one another by. */
  readonly cookie?: string;
  readonly user: string;
  readonly password: string;
  readonly vhost: string;
  /** Further lines of its configuration. */
  readonly settings?: readonly string[];
  /** Plugins beside that of its HTTP API. */
  readonly plugins?: readonly string[];
  readonly ports: {
    readonly amqp: number;
    readonly dist: number;
    readonly epmd: number;
    readonly management: number | null;
  };
}

/**
 * Writes the node's configuration and returns the environment that its server, its `epmd` and its
 * `rabbitmqctl` share. Nothing of the machine's own RabbitMQ is read or written, not even the
 * cookie.
 */
export async function prepareRabbitmq(node: RabbitmqNode): Promise<NodeJS.ProcessEnv> {
  const { installation, folder, ports, name = "holdfast", cookie } = node;
  await mkdir(join(folder, "home"), { recursive: true, mode: 0o700 });
  const at = (file: string) => join(folder, file);
  const plugins = [
    ...(ports.management === null ? [] : ["rabbitmq_management"]),
    ...(node.plugins ?? []),
  ].join(",");
  await writeFile(at("rabbitmq.conf"), configuration(node), { mode: 0o600 });
  await chmod(at("rabbitmq.conf"), 0o600);
  await writeFile(at("enabled_plugins"), `[${plugins}].\n`);
  await writeFile(at("rabbitmq-env.conf"), "");
  const onlyServer = plugins === "" ? await withoutPlugins(node) : {};
  return {
    ...withoutRabbitmq(process.env),
    ...installation.env,
    ...onlyServer,
    HOME: at("home"),
    RABBITMQ_NODENAME: `${name}@localhost`,
    ...(cookie === undefined ? {} : { RABBITMQ_ERLANG_COOKIE: cookie }),
    RABBITMQ_DIST_PORT: String(ports.dist),
    RABBITMQ_CONFIG_FILE: at("rabbitmq.conf"),
    RABBITMQ_CONF_ENV_FILE: at("rabbitmq-env.conf"),
    RABBITMQ_ENABLED_PLUGINS_FILE: at("enabled_plugins"),
    RABBITMQ_MNESIA_BASE: at("mnesia"),
    RABBITMQ_LOG_BASE: at("log"),
    RABBITMQ_LOGS: "-",
    ERL_EPMD_PORT: String(ports.epmd),
    ERL_EPMD_ADDRESS: "127.0.0.1",
    ERL_CRASH_DUMP: at("erl_crash.dump"),
  };
}

/**
 * A node without plugins has a folder of them that holds the server alone. RabbitMQ would look for
 * settings, and then for plugins, in all that could be enabled: a third of the time that it boots.
 */
async function withoutPlugins({ installation, folder }: RabbitmqNode): Promise<NodeJS.ProcessEnv> {
  const script = await realpath(join(installation.scripts, "rabbitmq-server"));
  const all = join(dirname(script), "../plugins");
  const server = (await readdir(all).catch(() => [])).find((name) => /^rabbit-[0-9.]+$/.test(name));
  if (server === undefined) return {};
  const own = join(folder, "plugins");
  await rm(own, { recursive: true, force: true });
  await mkdir(own);
  await symlink(join(all, server), join(own, server));
  return { RABBITMQ_PLUGINS_DIR: own };
}

function configuration(node: RabbitmqNode): string {
  const { name, joins, user, password, vhost, settings = [], ports } = node;
  const lines = [
    ...settings,
    // Before 4.0 a queue writes the headers of some messages that it dead-letters into the log, as
    // warnings: a sender could keep it busy with that for minutes.
    "log.default.level = error",
    `listeners.tcp.1 = 127.0.0.1:${ports.amqp}`,
    `default_user = ${user}`,
    `default_pass = ${password}`,
    `default_vhost = ${vhost}`,
    "default_user_tags.administrator = true",
  ];
  const cluster = [
    "cluster_formation.peer_discovery_backend = classic_config",
    // From 4.1 on a node that stands there twice does not start.
    ...[...new Set([joins, name])].map(
      (one, index) => `cluster_formation.classic_config.nodes.${index + 1} = ${one}@localhost`,
    ),
    "cluster_partition_handling = pause_minority",
  ];
  const management = [
    "management.tcp.ip = 127.0.0.1",
    `management.tcp.port = ${ports.management}`,
    // Vhosts and connections are all that is asked of it; figures would only cost time.
    "management.rates_mode = none",
    "management_agent.disable_metrics_collector = true",
  ];
  if (joins !== undefined) lines.push(...cluster);
  return `${[...lines, ...(ports.management === null ? [] : management)].join("\n")}\n`;
}

function withoutRabbitmq(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const foreign = /^(RABBITMQ|ERL|ELIXIR)_/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !foreign.test(name)));
}
