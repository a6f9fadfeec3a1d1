import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  hasDebianPackages,
  installPackage,
  type LocalStack,
  removeAbandonedFolders,
  startLocalStack,
} from "@holdfast/local-stack";
import { findPgbouncer } from "./pgbouncer.ts";
import { makeTemplate } from "./test-database.ts";
import { testFolder } from "./test-folder.ts";

const say = (line: string) => void process.stderr.write(`${line}\n`);

/**
 * Starts the servers of one test run and puts their URLs into the environment, where `testDatabase`
 * and `testBroker` find them. Runs at the same time do not meet: each has a folder and ports. `migrate` prepares the
 * database of which each `migratedDatabase` is a copy.
 */
export async function startTestStack(
  migrate: (url: string) => Promise<unknown>,
): Promise<LocalStack> {
  const folder = testFolder();
  removeAbandonedFolders(folder);
  // A run that is interrupted does not come to its teardown; leaving by `exit` ends the servers.
  process.once("SIGINT", () => process.exit(130)).once("SIGTERM", () => process.exit(143));
  const dataFolder = join(folder, String(process.pid));
  const stack = await startLocalStack({ purpose: "test", dataFolder, log: say });
  await getPgbouncer();
  process.env["TEST_STATE_STORE_URL"] = stack.postgres.url;
  process.env["TEST_BROKER_URL"] = stack.broker.url;
  if (stack.broker.managementUrl !== null) {
    process.env["TEST_BROKER_MANAGEMENT_URL"] = stack.broker.managementUrl;
  }
  const template = await makeTemplate(migrate);
  return {
    ...stack,
    async [Symbol.asyncDispose]() {
      await template.drop();
      for (const line of crashesIn(join(dataFolder, "postgres.log"))) say(`postgres: ${line}`);
      await stack[Symbol.asyncDispose]();
    },
  };
}

/** What Postgres logged of processes of its own that crashed, with the statements that they ran. */
function crashesIn(log: string): readonly string[] {
  const lines = existsSync(log) ? readFileSync(log, "utf8").split("\n") : [];
  return lines.flatMap((line, index) =>
    /terminated by signal (4|6|7|8|11)\b/.test(line) ? lines.slice(index, index + 12) : [],
  );
}

/** Root gets PgBouncer from the distribution. Elsewhere tests that need it are skipped where it is not installed. */
async function getPgbouncer(): Promise<void> {
  if (findPgbouncer() !== null || process.getuid?.() !== 0 || !hasDebianPackages()) return;
  say("installing the package pgbouncer");
  await installPackage("pgbouncer").catch((error: unknown) => {
    say(`pgbouncer: ${String(error)}; tests with it are skipped`);
  });
}
