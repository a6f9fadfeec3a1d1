import { randomUUID } from "node:crypto";
import { submissionExchange, submissionQueue } from "@holdfast/contracts";
import { orderPoster } from "@holdfast/load";
import { fulfilOrder, sampleOrder } from "@holdfast/orders";
import { expect, test } from "@jest/globals";
import { connect } from "amqplib";
import { allRight, type FaultySystem, startFaultySystem, until } from "./faulty-system.ts";

const family = fulfilOrder.name.replace(/\.v\d+$/, "");
const [first, second] = [fulfilOrder.name, `${family}.v2`];

/**
 * What operators do while orders come in: roll out, roll back, and retire the version that is
 * active or the other one.
 */
const acts = [
  [second, "activate"],
  [first, "retire"],
  [first, "activate"],
  [second, "retire"],
  [second, "activate"],
  [second, "retire"],
  [second, "reinstate"],
  [first, "retire"],
  [first, "activate"],
  [second, "activate"],
  [first, "activate"],
] as const;

/** Asks for one act as an operator does. */
async function act({ system }: FaultySystem, url: string, [name, what]: (typeof acts)[number]) {
  const { OPERATOR_TOKEN: token = "" } = system.environmentOf("operations");
  const response = await fetch(`${url}/v1/workflows/${name}/${what}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ actor: "ann", reason: "a roll-out" }),
  });
  return response.status;
}

test("versions are activated, rolled back and retired while orders come in by two processes, and none is refused or undone", async () => {
  await using faulty = await startFaultySystem({ count: { submission: 2 } });
  const { system, store } = faulty;
  const operations = await faulty.operationsUrl();
  await store.registerWorkflow({ ...fulfilOrder.definition, name: second });
  const connection = await connect(faulty.broker?.url ?? "");
  const channel = await connection.createConfirmChannel();
  const post = orderPoster();
  const urls = system.running("submission").map(({ ready }) => String(ready["url"]));
  let seed = 0;
  let accepted = 0;
  const refused: unknown[] = [];
  const order = async (url: string) => {
    const body = JSON.stringify(sampleOrder({ kind: "good", seed: (seed += 1) }));
    const answer = await post(url, { key: randomUUID(), body });
    if (answer?.status === 202) accepted += 1;
    else refused.push(answer?.body);
  };
  const publish = async () => {
    const body = Buffer.from(JSON.stringify(sampleOrder({ kind: "good", seed: (seed += 1) })));
    const properties = { messageId: randomUUID(), persistent: true, headers: { workflow: family } };
    channel.publish(submissionExchange, submissionQueue, body, properties);
    await channel.waitForConfirms();
    accepted += 1;
  };
  const over = new AbortController();
  const flow = (async () => {
    while (!over.signal.aborted) await Promise.all([...urls.map(order), publish()]);
  })();
  try {
    // The Agents announce themselves a moment after their start.
    await until(async () => (await act(faulty, operations, [second, "activate"])) === 204);
    for (const one of acts) {
      const before = accepted + refused.length;
      expect({ one, status: await act(faulty, operations, one) }).toEqual({ one, status: 204 });
      await until(() => accepted + refused.length >= before + 6);
    }
  } finally {
    over.abort();
    await flow;
    await connection.close();
  }
  expect(refused).toEqual([]);
  await until(async () => (await faulty.query("select from state.tasks")).length === accepted);
  const tasks = await faulty.query<{ id: string; workflow: string }>(
    "select task_id::text as id, workflow from state.tasks order by created_at",
  );
  expect(new Set(tasks.map(({ workflow }) => workflow))).toEqual(new Set([first, second]));
  expect(await faulty.query("select from state.dead_letters")).toEqual([]);
  const ids = tasks.map(({ id }) => id);
  expect(await faulty.verdict(ids)).toEqual(allRight({ processed: accepted, undone: 0 }));
});
