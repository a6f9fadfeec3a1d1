import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { connectOnce } from "./connect-once.ts";
import { holdfastFolder } from "./data-folder.ts";
import { freePort } from "./free-port.ts";
import { serverOnly } from "./local-rabbitmq.ts";
import { onFreePorts } from "./on-free-ports.ts";
import { type OwnedProcess, startProcess } from "./owned-process.ts";
import { prepareRabbitmq } from "./rabbitmq-environment.ts";
import { findRabbitmq, type RabbitmqInstallation } from "./rabbitmq-installation.ts";
import { getRabbitmqPackage } from "./rabbitmq-package.ts";
import { passwordFor } from "./secrets.ts";
import type { BrokerServer } from "./server.ts";
import { portBase } from "./stack-options.ts";
import { waitUntilReady } from "./wait-until-ready.ts";

const run = promisify(execFile);
/** Milliseconds. */
const readyWithin = 120_000;
const stopWithin = 15_000;
/** For one `rabbitmqctl`, which would wait for a hung node for ever. */
const commandWithin = 60_000;
const [user, vhost] = ["holdfast", "holdfast"];
const names = ["holdfast1", "holdfast2", "holdfast3"] as const;

type NodeName = (typeof names)[number];

/** One node of a cluster. Once the cluster is disposed of, a node refuses to start. */
export interface ClusterNode extends Omit<BrokerServer, "managementUrl" | "importDefinitions"> {
  readonly name: NodeName;
  /** Stops its process with SIGSTOP: connections stay open, and nothing answers. */
  freeze(): void;
  /** Continues its process after `freeze`. */
  thaw(): void;
}

/** Three nodes of RabbitMQ on this machine that form one cluster. */
export interface RabbitmqCluster extends AsyncDisposable {
  /** Of all nodes. */
  readonly url: string;
  readonly nodes: readonly ClusterNode[];
  /** A line for each queue: its name, the node of its leader, its members, and those that are online. */
  describeQueues(): Promise<string>;
  /** The node on which the leader of a quorum queue is. */
  leaderOf(queue: string): Promise<ClusterNode>;
  /** Cuts one node off from the other two for so many milliseconds. Resolves when it can reach them again. */
  isolate(node: ClusterNode, forMs: number): Promise<void>;
  importDefinitions(definitions: object): Promise<void>;
}

interface ClusterOptions {
  readonly dataFolder: string;
  readonly log?: (line: string) => void;
}

/** Starts the first node, and then the two that join it. Quorum queues that are declared later have three members. */
export async function startRabbitmqCluster(options: ClusterOptions): Promise<RabbitmqCluster> {
  const { dataFolder, log = () => {} } = options;
  const installation =
    findRabbitmq() ?? (await getRabbitmqPackage(join(holdfastFolder(), "rabbitmq-package"), log));
  return onFreePorts(() => startNodes(installation, dataFolder));
}

async function startNodes(
  installation: RabbitmqInstallation,
  dataFolder: string,
): Promise<RabbitmqCluster> {
  await using started = new AsyncDisposableStack();
  await mkdir(dataFolder, { recursive: true });
  const epmdPort = await freePort(portBase("epmd"));
  const password = passwordFor("rabbitmq", dataFolder);
  const cookie = passwordFor("cookie", dataFolder);
  const starter = { installation, dataFolder, epmdPort, password, cookie };
  const first = await prepareNode("holdfast1", starter);
  const epmd = startProcess("epmd", ["epmd"], { folder: dataFolder, env: first.env });
  started.defer(() => epmd.stop("SIGTERM", stopWithin));
  started.use(first.node);
  await first.node.start();
  const { node: second } = await prepareNode("holdfast2", starter);
  const { node: third } = await prepareNode("holdfast3", starter);
  for (const node of [second, third]) started.use(node);
  await Promise.all([second.start(), third.start()]);

  const nodes = [first.node, second, third];
  const hosts = nodes.map(({ url }) => new URL(url).host);
  const alive = (): Promise<ClusterNode> =>
    Promise.any(nodes.map((node) => connectOnce(node.url).then(() => node)));
  const columns = ["name", "leader", "members", "online"];
  const describeQueues = async () =>
    (await alive()).rabbitmqctl("list_queues", "-p", vhost, "--no-table-headers", ...columns);
  const all = started.move();
  return {
    url: first.node.url.replace(hosts[0] ?? "", hosts.join(",")),
    nodes,
    describeQueues,
    async leaderOf(queue) {
      const table = await describeQueues();
      const line = table.split("\n").find((one) => one.split("\t")[0] === queue);
      const leader = line?.split("\t")[1]?.split("@")[0];
      const node = nodes.find(({ name }) => name === leader);
      if (node === undefined) throw new Error(`The queue ${queue} has no leader: ${line}`);
      return node;
    },
    // A node whose cookie for another node is wrong cannot reach it, and is not reached. The node itself ends it:
    // each command line costs an Erlang VM, which takes seconds on a busy machine.
    async isolate(node, forMs) {
      const others = nodes.filter((one) => one !== node).map(({ name }) => `'${name}@localhost'`);
      const steps = [
        `Others = [${others.join(", ")}]`,
        "[erlang:set_cookie(N, wrong) || N <- Others]",
        "[erlang:disconnect_node(N) || N <- Others]",
        `timer:sleep(${forMs})`,
        "[erlang:set_cookie(N, erlang:get_cookie()) || N <- Others]",
        "[net_adm:ping(N) || N <- Others]",
      ];
      await node.rabbitmqctl("eval", `${steps.join(", ")}.`);
    },
    async importDefinitions(definitions) {
      const file = join(dataFolder, "definitions.json");
      await writeFile(file, JSON.stringify(definitions), { mode: 0o600 });
      await (await alive()).rabbitmqctl("import_definitions", file);
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

interface Starter {
  readonly installation: RabbitmqInstallation;
  readonly dataFolder: string;
  readonly epmdPort: number;
  readonly password: string;
  readonly cookie: string;
}

async function prepareNode(name: NodeName, starter: Starter) {
  const { installation, dataFolder, epmdPort, password, cookie } = starter;
  const folder = join(dataFolder, name);
  await mkdir(folder, { recursive: true });
  const offset = names.indexOf(name) * 50;
  const ports = {
    amqp: await freePort(portBase("broker") + offset),
    dist: await freePort(portBase("dist") + offset),
    epmd: epmdPort,
    management: null,
  };
  const env = await prepareRabbitmq({
    installation,
    folder,
    user,
    password,
    vhost,
    ports,
    name,
    cookie,
    joins: names[0],
  });
  const url = `amqp://${user}:${password}@127.0.0.1:${ports.amqp}/${vhost}`;
  let server: OwnedProcess | null = null;
  let isDisposed = false;
  const mustNotBeDisposed = () => {
    // Its epmd has ended or is about to: what starts now would leave one behind on the machine.
    if (isDisposed) throw new Error(`${name}: the cluster is disposed of`);
  };
  const kill = async () => server?.stop("SIGKILL", stopWithin);
  const node: ClusterNode = {
    name,
    url,
    async start() {
      mustNotBeDisposed();
      const command = join(installation.scripts, "rabbitmq-server");
      server = startProcess(name, [command], { folder, env: { ...env, ...serverOnly } });
      await waitUntilReady(server, () => connectOnce(url), { name, withinMs: readyWithin });
    },
    kill,
    freeze: () => server?.signal("SIGSTOP"),
    thaw: () => server?.signal("SIGCONT"),
    async rabbitmqctl(...args) {
      mustNotBeDisposed();
      const command = join(installation.scripts, "rabbitmqctl");
      const options = { env, cwd: folder, timeout: commandWithin, killSignal: "SIGKILL" } as const;
      const { stdout } = await run(command, ["--quiet", ...args], options);
      return stdout;
    },
    async [Symbol.asyncDispose]() {
      isDisposed = true;
      await kill();
    },
  };
  return { node, env };
}
