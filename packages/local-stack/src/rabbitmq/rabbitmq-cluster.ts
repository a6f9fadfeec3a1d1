import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { disposableStack } from "@holdfast/runtime/disposable-stack";
import { holdfastFolder } from "../folders/data-folder.ts";
import { passwordFor } from "../folders/passwords.ts";
import { freePort } from "../processes/free-port.ts";
import { onFreePorts } from "../processes/on-free-ports.ts";
import { startProcess } from "../processes/owned-process.ts";
import { portBase } from "../stack-options.ts";
import { type ClusterNode, prepareNode, vhost } from "./cluster-node.ts";
import { connectOnce } from "./connect-once.ts";
import {
  findRabbitmq,
  installationAt,
  type RabbitmqInstallation,
} from "./rabbitmq-installation.ts";
import { getRabbitmqPackage } from "./rabbitmq-package.ts";

/** Milliseconds. */
const stopWithin = 15_000;

/** Three nodes of RabbitMQ on this machine that form one cluster. */
export interface RabbitmqCluster extends AsyncDisposable {
  /** The URL of all nodes. */
  readonly url: string;
  readonly nodes: readonly ClusterNode[];
  /**
   * A line for each queue: its name, the node of its leader, its members, those that are online,
   * and how many messages wait there and are with consumers.
   */
  describeQueues(): Promise<string>;
  /** The node on which the leader of a quorum queue is. */
  leaderOf(queue: string): Promise<ClusterNode>;
  /**
   * Cuts one node off from the other two for so many milliseconds. Resolves when it can reach them
   * again.
   */
  isolate(node: ClusterNode, forMs: number): Promise<void>;
  importDefinitions(definitions: object): Promise<void>;
}

interface ClusterOptions {
  readonly dataFolder: string;
  /** The folder with the scripts of a RabbitMQ; null: the one of this machine. */
  readonly scripts?: string | null;
  readonly log?: (line: string) => void;
}

/**
 * Starts the first node, and then the two that join it. Quorum queues that are declared later have
 * three members.
 */
export async function startRabbitmqCluster(options: ClusterOptions): Promise<RabbitmqCluster> {
  const { dataFolder, scripts = null, log = () => {} } = options;
  const found = scripts === null ? findRabbitmq() : installationAt(scripts);
  const installation =
    found ?? (await getRabbitmqPackage(join(holdfastFolder(), "rabbitmq-package"), log));
  return onFreePorts(() => startNodes(installation, dataFolder));
}

/** Starts epmd, the first node, and then the two that join it. */
async function startNodes(
  installation: RabbitmqInstallation,
  dataFolder: string,
): Promise<RabbitmqCluster> {
  await using started = disposableStack();
  await mkdir(dataFolder, { recursive: true });
  const epmdPort = await freePort(portBase("epmd"));
  const password = passwordFor("rabbitmq", dataFolder);
  const cookie = passwordFor("cookie", dataFolder);
  const settings = { installation, dataFolder, epmdPort, password, cookie };
  const first = await prepareNode("holdfast1", settings);
  const epmd = startProcess("epmd", ["epmd"], { folder: dataFolder, env: first.env });
  started.defer(() => epmd.stop("SIGTERM", stopWithin));
  started.use(first.node);
  await first.node.start();
  const { node: second } = await prepareNode("holdfast2", settings);
  const { node: third } = await prepareNode("holdfast3", settings);
  for (const node of [second, third]) started.use(node);
  await Promise.all([second.start(), third.start()]);

  const nodes = [first.node, second, third];
  const hosts = nodes.map(({ url }) => new URL(url).host);
  const all = started.move();
  return {
    url: first.node.url.replace(hosts[0] ?? "", hosts.join(",")),
    nodes,
    ...clusterCommands(nodes, dataFolder),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** What is asked of a cluster: each node that is alive can answer. */
function clusterCommands(
  nodes: readonly ClusterNode[],
  dataFolder: string,
): Pick<RabbitmqCluster, "describeQueues" | "leaderOf" | "isolate" | "importDefinitions"> {
  const alive = (): Promise<ClusterNode> =>
    Promise.any(nodes.map((node) => connectOnce(node.url).then(() => node)));
  const counts = ["messages_ready", "messages_unacknowledged"];
  const columns = ["name", "leader", "members", "online", ...counts];
  const describeQueues = async () =>
    (await alive()).rabbitmqctl("list_queues", "-p", vhost, "--no-table-headers", ...columns);
  return {
    describeQueues,
    async leaderOf(queue) {
      const table = await describeQueues();
      const line = table.split("\n").find((one) => one.split("\t")[0] === queue);
      const leader = line?.split("\t")[1]?.split("@")[0];
      const node = nodes.find(({ name }) => name === leader);
      if (node === undefined) throw new Error(`The queue ${queue} has no leader: ${line}`);
      return node;
    },
    async isolate(node, forMs) {
      const others = nodes.filter((one) => one !== node);
      await node.rabbitmqctl("eval", isolation(others, forMs));
    },
    async importDefinitions(definitions) {
      const file = join(dataFolder, "definitions.json");
      await writeFile(file, JSON.stringify(definitions), { mode: 0o600 });
      await (await alive()).rabbitmqctl("import_definitions", file);
    },
  };
}

/**
 * Erlang with which a node cuts itself off from others for a while: a node whose cookie for another
 * node is wrong cannot reach it, and is not reached. The node itself ends it, because each command
 * line costs an Erlang VM, which takes seconds on a busy machine.
 */
function isolation(others: readonly ClusterNode[], forMs: number): string {
  const steps = [
    `Others = [${others.map(({ name }) => `'${name}@localhost'`).join(", ")}]`,
    "[erlang:set_cookie(N, wrong) || N <- Others]",
    "[erlang:disconnect_node(N) || N <- Others]",
    `timer:sleep(${forMs})`,
    "[erlang:set_cookie(N, erlang:get_cookie()) || N <- Others]",
    "[net_adm:ping(N) || N <- Others]",
  ];
  return `${steps.join(", ")}.`;
}
