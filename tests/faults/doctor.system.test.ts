import { execFile } from "node:child_process";
import { replyQueue } from "@holdfast/contracts";
import { type LocalStack, startLocalStack } from "@holdfast/local-stack";
import { operatorToken } from "@holdfast/processes";
import { migrate } from "@holdfast/state-store";
import { holdfastCommand } from "@holdfast/test-servers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { allRight, startFaultySystem, temporaryFolder, until } from "./faulty-system.ts";

/** Servers of our own: all tests break the broker, one after the other. */
const owned = new AsyncDisposableStack();
let stack: LocalStack;
beforeAll(async () => {
  const { path: dataFolder } = owned.use(await temporaryFolder());
  stack = owned.use(await startLocalStack({ purpose: "demo", dataFolder }));
  await migrate(stack.postgres.url);
});
afterAll(async () => {
  await owned.disposeAsync();
});

test("doctor says that the broker takes no messages", async () => {
  const { broker } = stack;
  expect(await alarm()).toMatchObject({ severity: "ok" });
  await broker.rabbitmqctl("set_disk_free_limit", "100000GB");
  await until(async () => (await alarm())?.severity === "error");
  expect(await alarm()).toMatchObject({
    sentence: expect.stringContaining("low on disk"),
    advice: expect.stringContaining("ree disk or memory"),
  });
  await broker.rabbitmqctl("set_disk_free_limit", "50MB");
  await until(async () => (await alarm())?.severity === "ok");
});

test("the overview says so, too, of a process that may not ask the broker for its queues", async () => {
  const { broker, postgres } = stack;
  await using faulty = await startFaultySystem({
    servers: { stateStoreUrl: postgres.url, broker },
  });
  const url = `${await faulty.operationsUrl()}/v1/overview`;
  const headers = { authorization: `Bearer ${operatorToken}` };
  const needed = async () => {
    const { needsYou } = (await (await fetch(url, { headers })).json()) as {
      readonly needsYou: readonly { readonly kind: string; readonly sentence: string }[];
    };
    return needsYou.find(({ kind }) => kind === "broker")?.sentence ?? null;
  };
  expect(await needed()).toBeNull();
  await broker.rabbitmqctl("set_disk_free_limit", "100000GB");
  await until(async () => (await needed()) !== null);
  expect(await needed()).toContain("The broker takes no messages (low on disk)");
  await broker.rabbitmqctl("set_disk_free_limit", "50MB");
  await until(async () => (await needed()) === null);
});

test("a queue without a leader holds up orders until doctor says so and it is deleted", async () => {
  const { broker, postgres } = stack;
  const servers = { stateStoreUrl: postgres.url, broker };
  await using faulty = await startFaultySystem({ servers });
  const said = `does not answer for the queue ${replyQueue}:`;
  await loseLeader(broker, replyQueue);
  const ids = await faulty.submit(["good", "declined", "good"]);
  const [[found]] = await Promise.all([
    leaderless(),
    until(() => faulty.log.some((line) => JSON.stringify(line).includes(said))),
  ]);
  expect(found).toMatchObject({ severity: "error", sentence: expect.stringContaining(replyQueue) });
  expect(found?.advice).toContain(`rabbitmqctl delete_queue -p <vhost> ${replyQueue}`);

  await broker.rabbitmqctl("delete_queue", "-p", "holdfast", replyQueue);
  await faulty.system.broker.restore();
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: 2, undone: 1 }));
  expect(await leaderless()).toEqual([]);
});

/**
 * What is left of a queue when the broker is killed while it makes it, or loses what it knew of the
 * queue's place on the disk (RabbitMQ's issues 13828 and 15725): a replica that is never made the
 * leader.
 */
async function loseLeader(broker: LocalStack["broker"], queue: string): Promise<void> {
  const forget = `ra:force_delete_server(quorum_queues, {'holdfast_${queue}', node()}).`;
  await broker.rabbitmqctl("eval", forget);
  await broker.rabbitmqctl("stop_app");
  await broker.rabbitmqctl("start_app");
}

interface Finding {
  readonly check: string;
  readonly severity: string;
  readonly sentence: string;
  readonly advice?: string;
}

/**
 * Resolves to what doctor finds, with whichever code it ends: queues and services are missing here,
 * too.
 */
function doctor(): Promise<readonly Finding[]> {
  const env = { STATE_STORE_URL: stack.postgres.url, BROKER_URL: stack.broker.url };
  const main = [...holdfastCommand, "doctor", "--direct", "--json"];
  return new Promise((resolve) => {
    execFile(process.execPath, main, { env }, (_, stdout) => {
      resolve((JSON.parse(stdout) as { readonly findings: readonly Finding[] }).findings);
    });
  });
}

const alarm = async () => (await doctor()).find(({ check }) => check === "broker.alarms");
const leaderless = async () => (await doctor()).filter(({ check }) => check === "broker.leaders");
