import { execFile } from "node:child_process";
import { replyQueue } from "@holdfast/contracts";
import { type LocalStack, startLocalStack } from "@holdfast/local-stack";
import { migrate } from "@holdfast/state-store";
import { expect, test } from "@jest/globals";
import { allRight, startFaultySystem, temporaryFolder, until } from "./harness.ts";

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

test("a queue without a leader holds up orders until doctor says so and it is deleted", async () => {
  await using data = await temporaryFolder();
  await using stack = await startLocalStack({ purpose: "demo", dataFolder: data.path });
  const { broker, postgres } = stack;
  const servers = { stateStoreUrl: postgres.url, broker };
  await using faulty = await startFaultySystem({ servers });
  const env = { STATE_STORE_URL: postgres.url, BROKER_URL: broker.url };
  const leaderless = async () =>
    (await doctor(env)).filter(({ code }) => code === "broker.leaders");

  const said = `does not answer for the queue ${replyQueue}:`;
  await loseLeader(broker, replyQueue);
  const ids = await faulty.submit(["good", "declined", "good"]);
  await until(() => faulty.log.some((line) => JSON.stringify(line).includes(said)));
  const [found] = await leaderless();
  expect(found).toMatchObject({ state: "wrong", text: expect.stringContaining(replyQueue) });
  expect(found?.advice).toContain(`rabbitmqctl delete_queue -p <vhost> ${replyQueue}`);

  await broker.rabbitmqctl("delete_queue", "-p", "holdfast", replyQueue);
  await faulty.system.broker.restore();
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 2, undone: 1 }));
  expect(await leaderless()).toEqual([]);
}, 180_000);

/**
 * What is left of a queue when the broker is killed while it makes it, or loses what it knew of the
 * queue's place on the disk (RabbitMQ's issues 13828 and 15725): a replica that nobody tells to lead.
 */
async function loseLeader(broker: LocalStack["broker"], queue: string): Promise<void> {
  const forget = `ra:force_delete_server(quorum_queues, {'holdfast_${queue}', node()}).`;
  await broker.rabbitmqctl("eval", forget);
  await broker.rabbitmqctl("stop_app");
  await broker.rabbitmqctl("start_app");
}

interface Finding {
  readonly code: string;
  readonly state: string;
  readonly text: string;
  readonly advice?: string;
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
