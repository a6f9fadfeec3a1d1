import { execFile } from "node:child_process";
import { startLocalStack } from "@holdfast/local-stack";
import { migrate } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { temporaryFolder, until } from "./harness.ts";

test("doctor says that the broker takes no messages", async () => {
  await using data = await temporaryFolder();
  await using stack = await startLocalStack({ purpose: "demo", dataFolder: data.path });
  const { broker, postgres } = stack;
  await migrate(postgres.url);
  const env = { STATE_STORE_URL: postgres.url, BROKER_URL: broker.url };
  const alarm = async () => (await doctor(env)).find(({ code }) => code === "broker.alarms");

  expect(await alarm()).toMatchObject({ state: "fine" });
  await broker.rabbitmqctl("set_disk_free_limit", "100000GB");
  await until(async () => (await alarm())?.state === "wrong");
  expect(await alarm()).toMatchObject({
    text: expect.stringContaining("low on disk"),
    advice: expect.stringContaining("free disk or memory"),
  });
});

interface Finding {
  readonly code: string;
  readonly state: string;
}

/** Whatever it ends with: queues and services are missing here, too. */
function doctor(env: Readonly<Record<string, string>>): Promise<readonly Finding[]> {
  const main = ["--conditions=@holdfast/source", "packages/cli/src/main.ts", "doctor", "--json"];
  return new Promise((resolve) => {
    execFile(process.execPath, main, { env }, (_, stdout) => {
      resolve((JSON.parse(stdout) as { readonly findings: readonly Finding[] }).findings);
    });
  });
}
