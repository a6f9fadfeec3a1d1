import { join } from "node:path";
import { whyNoContainer } from "../docker/docker-image.ts";
import { holdfastFolder } from "../folders/data-folder.ts";
import { startEmbeddedPostgres } from "../postgres/embedded-postgres.ts";
import { findPostgresBinaries } from "../postgres/postgres-binaries.ts";
import { hasDebianPackages } from "../processes/debian-package.ts";
import { importByManagement } from "../rabbitmq/import-definitions.ts";
import { startLocalRabbitmq } from "../rabbitmq/local-rabbitmq.ts";
import { findRabbitmq } from "../rabbitmq/rabbitmq-installation.ts";
import { getRabbitmqPackage } from "../rabbitmq/rabbitmq-package.ts";
import type { BrokerServer, PostgresServer } from "../server.ts";
import type { StackOptions } from "../stack-options.ts";
import { type Choice, chooseProvider, type Force, providerOrder } from "./choose-provider.ts";

const postgresImage = "postgres:18";
const rabbitmqImage = "rabbitmq:4-management";

/** A choice, and the way to make it true. */
export type Startable<Server> = Choice & { readonly start: () => Promise<Server> };

/** Chooses where Postgres comes from. */
export async function choosePostgres(options: StackOptions): Promise<Startable<PostgresServer>> {
  const variable = variableFor(options, "STATE_STORE_URL");
  const url = process.env[variable] ?? "";
  const binaries = findPostgresBinaries();
  const choice = await chooseProvider("Postgres", providerOrder(options.purpose, force()), {
    url: async () => (url === "" ? `${variable} is not set` : null),
    docker: () => whyNoContainer(postgresImage),
    embedded: async () =>
      binaries === null ? `there is no embedded Postgres for ${thisMachine}` : null,
  });
  return {
    ...choice,
    async start() {
      if (choice.provider === "url") return postgresAt(url);
      if (choice.provider === "embedded" && binaries)
        return startEmbeddedPostgres(binaries, options);
      const { startDockerPostgres } = await import("../docker/docker-postgres.ts");
      return startDockerPostgres(postgresImage, options);
    },
  };
}

/**
 * Chooses where RabbitMQ comes from. There is no stand-in for it: a broker of our own would prove
 * nothing.
 */
export async function chooseBroker(options: StackOptions): Promise<Startable<BrokerServer>> {
  const variable = variableFor(options, "BROKER_URL");
  const url = process.env[variable] ?? "";
  const installed = findRabbitmq();
  const order = providerOrder(options.purpose, force());
  const choice = await chooseProvider("RabbitMQ", order, {
    url: async () => (url === "" ? `${variable} is not set` : null),
    docker: () => whyNoContainer(rabbitmqImage),
    installed: async () => (installed ? null : "rabbitmq-server is not installed"),
    package: async () =>
      hasDebianPackages()
        ? null
        : `install rabbitmq-server or Docker, or set ${variable} to the URL of a RabbitMQ`,
  });
  return {
    ...choice,
    async start() {
      if (choice.provider !== "installed") options.onBrokerLoaded?.();
      if (choice.provider === "url") {
        return brokerAt(url, process.env[variableFor(options, "BROKER_MANAGEMENT_URL")] ?? null);
      }
      if (choice.provider === "docker") {
        const { startDockerRabbitmq } = await import("../docker/docker-rabbitmq.ts");
        return startDockerRabbitmq(rabbitmqImage, options);
      }
      const { packageFolder = join(holdfastFolder(), "rabbitmq-package") } = options;
      const found = installed ?? (await getRabbitmqPackage(packageFolder, options.log));
      return startLocalRabbitmq(found, options);
    },
  };
}

const thisMachine = `${process.platform} on ${process.arch}`;

/** Tests never touch what a person set for the application: they make and drop databases. */
function variableFor({ purpose }: StackOptions, name: string): string {
  return purpose === "test" ? `TEST_${name}` : name;
}

function force(): Force | null {
  const value = process.env["HOLDFAST_PROVIDER"] ?? "";
  if (value === "") return null;
  if (value === "url" || value === "docker" || value === "local") return value;
  throw new Error(`HOLDFAST_PROVIDER is "${value}", but can be url, docker or local only.`);
}

/** A Postgres that we did not start. It is used, never stopped. */
function postgresAt(url: string): PostgresServer {
  return { url, kill: refuse, start: refuse, restart: refuse, [Symbol.asyncDispose]: nothing };
}

/** A RabbitMQ that we did not start, perhaps with an HTTP API. It is used, never stopped. */
function brokerAt(url: string, managementUrl: string | null): BrokerServer {
  return {
    url,
    managementUrl,
    importDefinitions: managementUrl === null ? null : importByManagement(managementUrl),
    kill: refuse,
    start: refuse,
    rabbitmqctl: refuse,
    [Symbol.asyncDispose]: nothing,
  };
}

const nothing = async () => {};
const refuse = (): Promise<never> =>
  Promise.reject(
    new Error("This server was given by its URL. Only servers that we started can be stopped."),
  );
