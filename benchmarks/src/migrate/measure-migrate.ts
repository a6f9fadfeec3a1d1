import { join } from "node:path";
import { createDatabase, holdfastFolder, startLocalStack } from "@holdfast/local-stack";
import type { BenchOptions } from "../options.ts";
import { type MigrationFigures, migrateUnderLoad } from "./migrate-under-load.ts";

const rate = 500;
const margin = 10_000;
const reader = 20_000;

/**
 * Runs the rehearsal migrations on a store with millions of tasks under load and beside a long
 * read.
 */
export async function measureMigrate(
  { finished }: BenchOptions,
  say: (line: string) => void,
): Promise<MigrationFigures> {
  await using owner = new AsyncDisposableStack();
  const dataFolder = join(holdfastFolder(), "bench");
  const stack = owner.use(
    await startLocalStack({ purpose: "demo", dataFolder, fresh: true, log: say }),
  );
  const { url } = owner.use(await createDatabase(stack.postgres.url));
  const figures = await migrateUnderLoad({ url, finished, rate, margin, reader, say });
  const { slowDuring, submitted, slowestDuringMs, lost, longestLockMs, longestLockOf } = figures;
  say(
    `${slowDuring} of ${submitted} orders waited longer than 100 ms, the slowest ${slowestDuringMs} ms; ${lost} lost`,
  );
  say(`the longest lock that kept writers out was of ${longestLockOf}: ${longestLockMs} ms`);
  return figures;
}
