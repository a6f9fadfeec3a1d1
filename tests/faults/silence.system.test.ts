import { replyBindings } from "@holdfast/contracts";
import { askBroker, type LocalStack, startLocalStack } from "@holdfast/local-stack";
import { setFaultSettings } from "@holdfast/processes";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import {
  allRight,
  type FaultySystem,
  startFaultySystem,
  temporaryFolder,
  until,
} from "./faulty-system.ts";

/** The limit of each attempt, in milliseconds. */
const limit = 3_000;
/** Failures before the tests. */
let failuresBefore = 0;

let data: Awaited<ReturnType<typeof temporaryFolder>>;
let stack: LocalStack;
let faulty: FaultySystem;
beforeAll(async () => {
  data = await temporaryFolder();
  stack = await startLocalStack({ purpose: "demo", dataFolder: data.path });
  faulty = await startFaultySystem({
    servers: { stateStoreUrl: stack.postgres.url, broker: stack.broker },
    // One failure that is counted undoes an order. So nothing but what the tests break may take as
    // long as a limit: neither a busy machine nor an Agent that has run nothing yet.
    limits: {
      startWithin: limit,
      completeWithin: limit,
      retry: { failures: 1, backoff: 1, max: 1 },
    },
  });
  await until(async () => {
    const ids = await faulty.submit(["good", "good"]);
    return (await faulty.verdict(ids)).undone === 0;
  });
  failuresBefore = await failures();
}, 120_000);
afterAll(async () => {
  await faulty[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
  await data[Symbol.asyncDispose]();
});

const count = async (sql: string): Promise<number> =>
  (await faulty.query<{ n: number }>(`select count(*)::int as n ${sql}`))[0]?.n ?? 0;
/** Failures that were counted. */
const failures = () => count("from state.events where action in ('retry', 'coolDown', 'fail')");

/**
 * Submits orders, a few at a time, until the change has come about: then some are at each point of
 * their way.
 */
async function ordersDuring(change: () => Promise<unknown>): Promise<readonly string[]> {
  await setFaultSettings(faulty.system, "payments", { holdMs: 500 });
  let isOver = false;
  const changing = change().finally(() => {
    isOver = true;
  });
  const ids: string[] = [];
  await until(async () => {
    ids.push(...(await faulty.submit(["good", "good"])));
    return isOver;
  }, 100);
  await changing;
  return ids;
}

/** Resolves once a step is overdue for so long that its limits have passed several times. */
const untilLongOverdue = () =>
  until(
    async () =>
      (await count(
        `from state.steps where process_state = 'processing' and complete_by < now() - interval '${2 * limit} ms'`,
      )) > 0,
  );

test("an alarm of the broker that outlasts every limit undoes no order, and counts no failure", async () => {
  const ids = await ordersDuring(() =>
    stack.broker.rabbitmqctl("set_vm_memory_high_watermark", "0.000001"),
  );
  await untilLongOverdue();
  await stack.broker.rabbitmqctl("set_vm_memory_high_watermark", "0.6");
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: ids.length, undone: 0 }));
  expect(await failures()).toBe(failuresBefore);
  expect(await count("from state.outages")).toBeGreaterThan(0);
});

test("replies that find no queue undo no order, and count no failure", async () => {
  const change = (how: "bindQueue" | "unbindQueue") =>
    askBroker(stack.broker.url, async (channel) => {
      for (const { queue, exchange, routingKey } of replyBindings) {
        await channel[how](queue, exchange, routingKey);
      }
    });
  const ids = await ordersDuring(() => change("unbindQueue"));
  await untilLongOverdue();
  const [path] = await faulty.query<{ trouble: string }>(
    "select trouble from state.reply_paths where trouble is not null",
  );
  expect(path?.trouble).toMatch(/leads to no such queue/);
  await change("bindQueue");
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: ids.length, undone: 0 }));
  expect(await failures()).toBe(failuresBefore);
});
