import { importByManagement } from "../rabbitmq/import-definitions.ts";
import type { BrokerServer, PostgresServer } from "../server.ts";

/** A Postgres that we did not start. It is used, never stopped. */
export function postgresAt(url: string): PostgresServer {
  return { url, kill: refuse, start: refuse, restart: refuse, [Symbol.asyncDispose]: nothing };
}

/** A RabbitMQ that we did not start, perhaps with an HTTP API. It is used, never stopped. */
export function brokerAt(url: string, managementUrl: string | null): BrokerServer {
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
