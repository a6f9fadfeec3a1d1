import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { connectOnce } from "./connect-once.ts";
import { freePort } from "./free-port.ts";
import { type OwnedProcess, startProcess } from "./owned-process.ts";
import { prepareRabbitmq } from "./rabbitmq-environment.ts";
import type { RabbitmqInstallation } from "./rabbitmq-installation.ts";
import { passwordFor } from "./secrets.ts";
import type { BrokerServer } from "./server.ts";
import { portBase, type StackOptions } from "./stack-options.ts";
import { waitUntilReady } from "./wait-until-ready.ts";

const run = promisify(execFile);
const readyWithinMs = 120_000;
const stopWithinMs = 15_000;
const [user, vhost] = ["holdfast", "holdfast"];

/** Runs a RabbitMQ node of our own, reachable from this machine only. */
export async function startLocalRabbitmq(
  installation: RabbitmqInstallation,
  { dataFolder, purpose }: StackOptions,
): Promise<BrokerServer> {
  const port = (part: "broker" | "dist" | "epmd" | "management") =>
    freePort(portBase(purpose, part));
  const ports = {
    amqp: await port("broker"),
    dist: await port("dist"),
    epmd: await port("epmd"),
    // Makes and removes a vhost in 15 ms where rabbitmqctl takes 500; the demo has no need of that.
    management: purpose === "test" ? await port("management") : null,
  };
  const folder = join(dataFolder, "rabbitmq");
  const password = passwordFor("rabbitmq", dataFolder);
  const env = await prepareRabbitmq({ installation, folder, user, password, vhost, ports });
  const url = `amqp://${user}:${password}@127.0.0.1:${ports.amqp}/${vhost}`;

  // In the foreground and before the node, which would otherwise leave one behind on the machine.
  const epmd = startProcess("epmd", ["epmd"], { folder: dataFolder, env });
  let server: OwnedProcess;
  const start = async () => {
    server = startProcess("rabbitmq", [join(installation.scripts, "rabbitmq-server")], {
      folder: dataFolder,
      env: { ...env, ...serverOnly },
    });
    const ready = { name: "RabbitMQ", withinMs: readyWithinMs };
    await waitUntilReady(server, () => connectOnce(url), ready);
  };
  await start();

  return {
    url,
    managementUrl:
      ports.management === null ? null : `http://${user}:${password}@127.0.0.1:${ports.management}`,
    start,
    kill: () => server.stop("SIGKILL", stopWithinMs),
    async rabbitmqctl(...args) {
      const command = join(installation.scripts, "rabbitmqctl");
      const { stdout } = await run(command, ["--quiet", ...args], { env, cwd: folder });
      return stdout;
    },
    async [Symbol.asyncDispose]() {
      // With the management plugin a clean stop takes 6 s, and nothing of a test is to be kept.
      await server.stop(purpose === "test" ? "SIGKILL" : "SIGTERM", stopWithinMs);
      await epmd.stop("SIGTERM", stopWithinMs);
    },
  };
}

const serverOnly = {
  // The script becomes the Erlang VM instead of waiting for it: one process, and its pid is the node.
  RABBITMQ_ALLOW_INPUT: "1",
  RABBITMQ_SERVER_START_ARGS: "-noinput",
  RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "-kernel inet_dist_use_interface {127,0,0,1}",
};
