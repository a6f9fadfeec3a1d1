import { existsSync, lstatSync, mkdirSync, readFileSync, statfsSync } from "node:fs";
import { join } from "node:path";
import {
  hasDebianPackages,
  holdfastFolder,
  installPackage,
  type LocalStack,
  removeAbandonedFolders,
  startLocalStack,
} from "@holdfast/local-stack";
import { findPgbouncer } from "./pgbouncer.ts";
import { makeTemplate } from "./test-database.ts";

const say = (line: string) => void process.stderr.write(`${line}\n`);

/**
 * Starts the servers of one test run and puts their URLs into the environment, where `testDatabase`
 * and `testBroker` find them. Runs at the same time do not meet: each has a folder and ports.
 * `migrate` prepares the database of which each `migratedDatabase` is a copy.
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

/**
 * Root gets PgBouncer from the distribution. Elsewhere tests that need it are skipped where it is
 * not installed.
 */
async function getPgbouncer(): Promise<void> {
  if (findPgbouncer() !== null || process.getuid?.() !== 0 || !hasDebianPackages()) return;
  say("installing the package pgbouncer");
  await installPackage("pgbouncer").catch((error: unknown) => {
    say(`pgbouncer: ${String(error)}; tests with it are skipped`);
  });
}

/** Linux keeps what is there in memory. */
const memory = "/dev/shm";
/**
 * Bytes that the servers of a run may fill: some fifty databases at a time, their log, and queues.
 */
const filled = 4 * 1024 ** 3;
/** Bytes that the tests themselves take beside it. */
const taken = 6 * 1024 ** 3;

/**
 * Returns where the servers of test runs keep their data: in memory where there is room for it,
 * else on the disk. A run makes and drops hundreds of databases of four hundred files each, for
 * which a disk takes a tenth of a second of processor time and more. No test run outlives its
 * servers, so nothing is lost with the memory.
 */
function testFolder(): string {
  return folderInMemory() ?? join(holdfastFolder(), "test");
}

/**
 * One for all clones of a user, so that the next run anywhere removes what a killed one left there.
 */
function folderInMemory(): string | null {
  if (!hasRoom()) return null;
  const folder = join(memory, `holdfast-test-${process.getuid?.()}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Everyone may write to /dev/shm: a folder that another user made first is not ours.
    const found = lstatSync(folder);
    return found.isDirectory() && found.uid === process.getuid?.() ? folder : null;
  } catch {
    return null;
  }
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= filled && process.availableMemory() >= filled + taken;
  } catch {
    return false;
  }
}
