import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { removeDataFolder } from "./folders/unprivileged-home.ts";
import { queryOnce } from "./postgres/query-once.ts";
import { startLocalStack } from "./start-local-stack.ts";

const dataFolder = mkdtempSync(join(tmpdir(), "holdfast-demo-"));

// The broker is that of the test run, and of Postgres there is to be one that keeps its data.
beforeAll(() => {
  process.env["BROKER_URL"] = process.env["TEST_BROKER_URL"];
  for (const name of ["STATE_STORE_URL", "HOLDFAST_PROVIDER"]) delete process.env[name];
});
afterAll(() => removeDataFolder(dataFolder));

const startDemo = (fresh: boolean) => startLocalStack({ purpose: "demo", dataFolder, fresh });

test("keeps a demo's data from start to start, and forgets it when asked to", async () => {
  const tables = "select relname from pg_class where relname = 'kept'";
  {
    await using stack = await startDemo(false);
    await queryOnce(stack.postgres.url, "create table kept ()");
  }
  {
    await using stack = await startDemo(false);
    expect(await queryOnce(stack.postgres.url, tables)).toHaveLength(1);
  }
  {
    await using stack = await startDemo(true);
    expect(await queryOnce(stack.postgres.url, tables)).toHaveLength(0);
  }
});

test("refuses data that another stack is using", async () => {
  await using stack = await startDemo(false);
  await expect(startDemo(true)).rejects.toThrow("is in use by process");
  await queryOnce(stack.postgres.url, "select 1");
});

test("uses a broker that was given by its URL, and refuses to stop it", async () => {
  await using stack = await startDemo(false);
  expect(stack.broker.provider).toBe("url");
  await expect(stack.broker.kill()).rejects.toThrow("given by its URL");
});
