import { execFile } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { disposableStack } from "@holdfast/runtime/disposable-stack";
import { passwordFor } from "../folders/passwords.ts";
import { freePort } from "../processes/free-port.ts";
import { onFreePorts } from "../processes/on-free-ports.ts";
import { type OwnedProcess, startProcess } from "../processes/owned-process.ts";
import { waitUntilReady } from "../processes/wait-until-ready.ts";
import type { BrokerServer } from "../server.ts";
import { portBase, type StackOptions } from "../stack-options.ts";
import { connectOnce } from "./connect-once.ts";
import { importByManagement } from "./import-definitions.ts";
import { loadedVariable, quickBoot } from "./quick-boot.ts";
import { prepareRabbitmq } from "./rabbitmq-environment.ts";
import type { RabbitmqInstallation } from "./rabbitmq-installation.ts";
import { shippedSettings } from "./shipped-settings.ts";

const run = promisify(execFile);
const readyWithinMs = 120_000;
const stopWithinMs = 15_000;
const [user, vhost] = ["holdfast", "holdfast"];

/**
 * Tests try what is beyond the limits that are shipped, too: what every release takes, whatever it
 * takes by default.
 */
const testSettings: readonly string[] = ["max_message_size = 134217728"];

export const serverOnly = (node: { readonly isAlone: boolean }) => ({
  // The script becomes the Erlang VM instead of waiting for it: one process, and its pid is the
  // node.
  RABBITMQ_ALLOW_INPUT: "1",
  RABBITMQ_SERVER_START_ARGS: "-noinput",
  // The script would boot at once.
  RABBITMQ_NODE_ONLY: "true",
  // Its schedulers rest at once when they have nothing to do: others need the processor that they
  // would wait on.
  RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: `+sbwt none +sbwtdcpu none +sbwtdio none -kernel inet_dist_use_interface {127,0,0,1} ${quickBoot(node)}`,
});

const alone = serverOnly({ isAlone: true });

/** Runs a RabbitMQ node of our own, reachable from this machine only. */
export function startLocalRabbitmq(
  installation: RabbitmqInstallation,
  options: StackOptions,
): Promise<BrokerServer> {
  return onFreePorts(() => startNode(installation, options));
}

async function startNode(
  installation: RabbitmqInstallation,
  { dataFolder, purpose, management = false, broker, onBrokerStart, onBrokerLoaded }: StackOptions,
): Promise<BrokerServer> {
  await using started = disposableStack();
  const ports = await findPorts(management);
  const folder = join(dataFolder, "rabbitmq");
  const password = passwordFor("rabbitmq", dataFolder);
  const usual = purpose === "test" ? testSettings : shippedSettings;
  const { settings: more = [], plugins = [] } = broker ?? {};
  const settings = [...usual, ...more];
  const node = { installation, folder, user, password, vhost, settings, plugins, ports };
  const env = await prepareRabbitmq(node);
  const credentials = `${user}:${password}@127.0.0.1`;
  const url = `amqp://${credentials}:${ports.amqp}/${vhost}`;

  // In the foreground and before the node, which would otherwise leave one behind on the machine.
  const epmd = startProcess("epmd", ["epmd"], { folder: dataFolder, env });
  started.defer(() => epmd.stop("SIGTERM", stopWithinMs));
  let server: OwnedProcess;
  const distribution = distributionOf(env["RABBITMQ_NODENAME"], ports.dist);
  const loaded = join(folder, "loaded");
  const start = async () => {
    const command = join(installation.scripts, "rabbitmq-server");
    rmSync(loaded, { force: true });
    server = startProcess("rabbitmq", [command], {
      folder: dataFolder,
      env: { ...env, ...alone, ...distribution, [loadedVariable]: loaded },
    });
    void untilThere(loaded, server).then((isThere) => isThere && onBrokerLoaded?.());
    const ready = { name: "RabbitMQ", withinMs: readyWithinMs };
    await waitUntilReady(server, () => connectOnce(url), ready);
  };
  // With the management plugin a clean stop takes 6 s, and nothing of a test is to be kept.
  started.defer(() => server.stop(purpose === "test" ? "SIGKILL" : "SIGTERM", stopWithinMs));
  onBrokerStart?.(url);
  await start().catch((cause: unknown) => {
    if (!epmd.hasExited()) throw cause;
    throw new Error(`epmd: address already in use, port ${ports.epmd}`, { cause });
  });

  const { rabbitmqctl, importByFile } = controlsOf(installation, { env, folder });
  const { management: port } = ports;
  const managementUrl = port === null ? null : `http://${credentials}:${port}`;
  const all = started.move();
  return {
    url,
    managementUrl,
    start,
    kill: () => server.stop("SIGKILL", stopWithinMs),
    rabbitmqctl,
    importDefinitions: managementUrl === null ? importByFile : importByManagement(managementUrl),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** What its command line does. */
function controlsOf(
  { scripts }: RabbitmqInstallation,
  { env, folder }: { readonly env: NodeJS.ProcessEnv; readonly folder: string },
) {
  const rabbitmqctl = async (...args: readonly string[]): Promise<string> => {
    const command = join(scripts, "rabbitmqctl");
    const { stdout } = await run(command, ["--quiet", ...args], { env, cwd: folder });
    return stdout;
  };
  const importByFile = async (definitions: object): Promise<void> => {
    const file = join(folder, "definitions.json");
    await writeFile(file, JSON.stringify(definitions), { mode: 0o600 });
    await rabbitmqctl("import_definitions", file);
  };
  return { rabbitmqctl, importByFile };
}

/**
 * The node has its name from the start. If RabbitMQ gave it one, it would first run a second Erlang
 * VM, only to have an epmd started, which we did: a twelfth of the time that it boots.
 */
const distributionOf = (name: string | undefined, port: number) => ({
  RABBITMQ_SERVER_START_ARGS: `${alone.RABBITMQ_SERVER_START_ARGS} -sname ${name} -start_epmd false -kernel inet_dist_listen_min ${port} inet_dist_listen_max ${port}`,
});

/** Resolves to true once there is such a file, to false when the server has ended without it. */
async function untilThere(file: string, server: Pick<OwnedProcess, "hasExited">): Promise<boolean> {
  while (!existsSync(file)) {
    if (server.hasExited()) return false;
    await sleep(20, undefined, { ref: false });
  }
  return true;
}

async function findPorts(management: boolean) {
  return {
    amqp: await freePort(portBase("broker")),
    dist: await freePort(portBase("dist")),
    epmd: await freePort(portBase("epmd")),
    // Makes and removes a vhost in 15 ms where rabbitmqctl takes 500; the demo has no need of that.
    management: management ? await freePort(portBase("management")) : null,
  };
}
