import { existsSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { queryOnce } from "./postgres/query-once.ts";
import { readPidFile } from "./processes/pid-file.ts";
import { processIdentity } from "./processes/process-identity.ts";
import { connectOnce } from "./rabbitmq/connect-once.ts";
import { findRabbitmq } from "./rabbitmq/rabbitmq-installation.ts";
import { startLocalStack } from "./start-local-stack.ts";

const startMs = 180_000;
const newFolder = () => mkdtempSync(join(tmpdir(), "holdfast-stack-"));
/** Getting the package would change the machine: that is tested where it may. */
const withRabbitmq = findRabbitmq() === null ? test.skip : test;

beforeAll(() => {
  process.env["HOLDFAST_PROVIDER"] = "local";
});

function pidsIn(folder: string): readonly number[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".pid") && name !== "owner.pid");
  return files.map((name) => readPidFile(join(folder, name)) ?? Number.NaN);
}

withRabbitmq(
  "runs beside the stack of this test run and leaves nothing behind",
  async () => {
    const dataFolder = newFolder();
    const stack = await startLocalStack({ purpose: "test", dataFolder });
    const { postgres, broker } = stack;
    expect([postgres.url, broker.url]).not.toContain(process.env["TEST_STATE_STORE_URL"]);
    await queryOnce(postgres.url, "select 1");
    await connectOnce(broker.url);
    const pids = pidsIn(dataFolder);
    expect(pids.map(processIdentity)).toEqual([
      expect.any(String),
      expect.any(String),
      expect.any(String),
    ]);

    await stack[Symbol.asyncDispose]();

    expect(pids.map(processIdentity)).toEqual([null, null, null]);
    expect(existsSync(dataFolder)).toBe(false);
    await expect(queryOnce(postgres.url, "select 1")).rejects.toThrow("ECONNREFUSED");
    await expect(connectOnce(broker.url)).rejects.toThrow("ECONNREFUSED");
  },
  startMs,
);

withRabbitmq(
  "gives back both servers, with what they held, after they were killed",
  async () => {
    await using stack = await startLocalStack({ purpose: "test", dataFolder: newFolder() });
    const { postgres, broker } = stack;
    await queryOnce(postgres.url, "create table kept as select 1 as one");

    await postgres.kill();
    await expect(queryOnce(postgres.url, "select 1")).rejects.toThrow("ECONNREFUSED");
    await postgres.start();
    await postgres.restart("immediate");
    await postgres.restart("fast");
    expect(await queryOnce(postgres.url, "select * from kept")).toEqual([{ one: 1 }]);

    await broker.rabbitmqctl("add_vhost", "kept");
    await broker.kill();
    await expect(connectOnce(broker.url)).rejects.toThrow("ECONNREFUSED");
    await broker.start();
    expect(await broker.rabbitmqctl("list_vhosts")).toContain("kept");
    // Erlang ran the expression before RabbitMQ booted: it loaded the application xmerl without its
    // list of modules.
    const shown = await broker.rabbitmqctl("eval", "application:get_key(xmerl,modules).");
    expect(shown.trim()).toBe("{ok,[]}");
  },
  startMs,
);
