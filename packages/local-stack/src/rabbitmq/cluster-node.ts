import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../processes/free-port.ts";
import { type OwnedProcess, startProcess } from "../processes/owned-process.ts";
import { waitUntilReady } from "../processes/wait-until-ready.ts";
import type { BrokerServer } from "../server.ts";
import { portBase } from "../stack-options.ts";
import { connectOnce } from "./connect-once.ts";
import { serverOnly } from "./local-rabbitmq.ts";
import { prepareRabbitmq } from "./rabbitmq-environment.ts";
import type { RabbitmqInstallation } from "./rabbitmq-installation.ts";

const run = promisify(execFile);
/** Milliseconds. */
const readyWithin = 120_000;
const stopWithin = 15_000;
/** The time limit of one `rabbitmqctl`, which would wait for a hung node for ever. */
const commandWithin = 60_000;
const user = "holdfast";
/** The virtual host that every node knows. */
export const vhost = "holdfast";
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

/** What the nodes of a cluster share. */
export interface ClusterSettings {
  readonly installation: RabbitmqInstallation;
  readonly dataFolder: string;
  readonly epmdPort: number;
  readonly password: string;
  readonly cookie: string;
}

/**
 * Writes the configuration of a node, which is not started by that. `env` is also for the epmd of
 * the cluster.
 */
export async function prepareNode(name: NodeName, settings: ClusterSettings) {
  const { installation, dataFolder, epmdPort, password, cookie } = settings;
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
      server = startProcess(name, [command], {
        folder,
        env: { ...env, ...serverOnly({ isAlone: false }) },
      });
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
