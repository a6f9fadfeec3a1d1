import { submissionExchange, submissionQueue } from "@holdfast/contracts";
import { sampleOrder } from "@holdfast/orders";
import { afterAll, expect, test } from "@jest/globals";
import {
  type FailpointCase,
  failpointCases,
  isHit,
  resume,
  settingOf,
  startWithFailpoint,
} from "./failpoint-cases.ts";
import { allRight, startFaultySystem, until } from "./faulty-system.ts";
import { publish } from "./publish.ts";

const faulty = await startFaultySystem();
afterAll(async () => {
  await faulty[Symbol.asyncDispose]();
});

const cases = failpointCases("submission", ["accepting", "accepted"], [null]).map((failpoint) => ({
  name: settingOf(failpoint),
  failpoint,
}));
const body = JSON.stringify(sampleOrder({ kind: "good" }));

const post = (url: string, key: string): Promise<Response> =>
  fetch(`${url}/v1/orders`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key },
    body,
  });

const idOf = async (response: Response) => ((await response.json()) as { id: string }).id;

const tasksOf = async (prefix: string): Promise<readonly string[]> => {
  const rows = await faulty.query<{ id: string }>(
    `select task_id::text as id from state.submissions where starts_with(idempotency_key, '${prefix}')`,
  );
  return rows.map(({ id }) => id);
};

test.concurrent.each(cases)(
  "$name, over HTTP: the same request, sent elsewhere, is the same order",
  async ({ name, failpoint }) => {
    // Without a broker it takes no order by message, and so no one else's.
    const env = { HOLDFAST_FAILPOINTS: name, BROKER_URL: "amqp://127.0.0.1:1" };
    const doomed = await faulty.system.start("submission", env);
    const asked = post(String(doomed.ready["url"]), name).catch(() => null);
    await until(() => isHit(faulty, doomed));
    const answer = await post(faulty.system.submissionUrl, name);
    expect(answer.status).toBe(202);
    const id = await idOf(answer);
    const verdict = allRight({ processed: 1, undone: 0 });
    expect(await faulty.verdict([id])).toEqual(verdict);
    await resume(doomed, failpoint);
    const late = await asked;
    expect(late === null ? null : await idOf(late)).toBe(failpoint.action === "exit" ? null : id);
    expect(await tasksOf(name)).toEqual([id]);
    expect(await faulty.verdict([id])).toEqual(verdict);
  },
);

async function publishUntilHit(failpoint: FailpointCase): Promise<readonly string[]> {
  const prefix = `message-${settingOf(failpoint)}-`;
  const doomed = await startWithFailpoint(faulty, failpoint);
  let orders = 0;
  do {
    orders += 1;
    const messageId = `${prefix}${orders}`;
    const order = { exchange: submissionExchange, routingKey: submissionQueue, body, messageId };
    await publish(faulty, { ...order, url: faulty.system.broker.urlOf("application") });
    await until(async () => isHit(faulty, doomed) || (await tasksOf(messageId)).length === 1, 100);
  } while (!isHit(faulty, doomed));
  await resume(doomed, failpoint);
  await until(async () => (await tasksOf(prefix)).length === orders, 100);
  return tasksOf(prefix);
}

test.concurrent.each(cases)(
  "$name, by message: it is delivered again, and is one order",
  async ({ failpoint }) => {
    const ids = await publishUntilHit(failpoint);
    expect(await faulty.verdict(ids)).toEqual(allRight({ processed: ids.length, undone: 0 }));
    expect(await faulty.query("select 1 from state.dead_letters")).toEqual([]);
  },
);

/** Enqueues an order as an application does in its transaction; resolves to its id. */
async function enqueue(key: string): Promise<string> {
  const submission = { workflow: "fulfil-order", input: JSON.parse(body), idempotencyKey: key };
  const [row] = await faulty.query<{ id: string }>(
    `select state.enqueue_submission('${JSON.stringify(submission)}')::text as id`,
  );
  return row!.id;
}

// Not beside the others: each process of submission looks at the inbox, and would come to its
// failpoint there.
test.each(cases)(
  "$name, in a transaction: another process makes one order of what was enqueued",
  async ({ name, failpoint }) => {
    const doomed = await startWithFailpoint(faulty, failpoint);
    const ids: string[] = [];
    do {
      const id = await enqueue(`sql-${name}-${ids.length}`);
      ids.push(id);
      const made = `select from state.tasks where task_id = '${id}'`;
      await until(
        async () => isHit(faulty, doomed) || (await faulty.query(made)).length === 1,
        100,
      );
    } while (!isHit(faulty, doomed));
    // As if its lease had ended: the other process goes on, while this one may only have stopped
    // for a while.
    await faulty.query("update state.inbox set leased_until = null");
    await until(async () => (await faulty.query("select from state.inbox")).length === 0, 100);
    await resume(doomed, failpoint);
    expect(await faulty.verdict(ids)).toEqual(allRight({ processed: ids.length, undone: 0 }));
    expect(await faulty.query("select from state.refusals")).toEqual([]);
  },
);
