import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { holdfastFolder } from "../folders/data-folder.ts";
import type { BrokerServer } from "../server.ts";
import { startLocalRabbitmq } from "./local-rabbitmq.ts";
import { findRabbitmq } from "./rabbitmq-installation.ts";
import { getRabbitmqPackage } from "./rabbitmq-package.ts";

interface TestBroker {
  readonly dataFolder: string;
  /** Further lines of its configuration. */
  readonly settings: readonly string[];
  readonly plugins: readonly string[];
}

const quiet = () => {};

/**
 * Starts a RabbitMQ of a test's own: for what concerns a whole server, such as its certificates.
 */
export async function startRabbitmq({ dataFolder, ...broker }: TestBroker): Promise<BrokerServer> {
  await mkdir(dataFolder, { recursive: true });
  const installation =
    findRabbitmq() ?? (await getRabbitmqPackage(join(holdfastFolder(), "rabbitmq-package"), quiet));
  return await startLocalRabbitmq(installation, {
    dataFolder,
    purpose: "test",
    broker,
    log: quiet,
  });
}
