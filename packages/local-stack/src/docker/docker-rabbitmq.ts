import { passwordFor } from "../folders/passwords.ts";
import { freePort } from "../processes/free-port.ts";
import { waitUntilReady } from "../processes/wait-until-ready.ts";
import { connectOnce } from "../rabbitmq/connect-once.ts";
import { importByManagement } from "../rabbitmq/import-definitions.ts";
import type { BrokerServer } from "../server.ts";
import { portBase, type StackOptions } from "../stack-options.ts";
import { startContainer } from "./docker-container.ts";

const readyWithinMs = 120_000;
const user = "holdfast";

/** Runs RabbitMQ with its HTTP API in a container. Its data end with it. */
export async function startDockerRabbitmq(
  image: string,
  options: StackOptions,
): Promise<BrokerServer> {
  const password = passwordFor("rabbitmq", options.dataFolder);
  const amqp = await freePort(portBase("broker"));
  const management = await freePort(portBase("management"));
  const container = await startContainer({
    image,
    environment: {
      RABBITMQ_DEFAULT_USER: user,
      RABBITMQ_DEFAULT_PASS: password,
      RABBITMQ_DEFAULT_VHOST: "holdfast",
    },
    ports: [
      { container: 5672, host: amqp },
      { container: 15_672, host: management },
    ],
  });
  const credentials = `${user}:${password}@127.0.0.1`;
  const url = `amqp://${credentials}:${amqp}/holdfast`;
  const ready = () =>
    waitUntilReady(container.watch, () => connectOnce(url), {
      name: "RabbitMQ",
      withinMs: readyWithinMs,
    });
  await ready();
  const managementUrl = `http://${credentials}:${management}`;
  return {
    url,
    managementUrl,
    importDefinitions: importByManagement(managementUrl),
    kill: () => container.stop("SIGKILL"),
    async start() {
      await container.start();
      await ready();
    },
    rabbitmqctl: (...args) => container.exec("rabbitmqctl", "--quiet", ...args),
    [Symbol.asyncDispose]: () => container[Symbol.asyncDispose](),
  };
}
