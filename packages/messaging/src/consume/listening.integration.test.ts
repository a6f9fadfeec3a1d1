import { randomUUID } from "node:crypto";
import { cancelExchange } from "@holdfast/contracts";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { openTestedBroker, type TestedBroker } from "../../test/broker.ts";
import { until } from "../../test/fixtures.ts";
import type { Delivery, OutgoingMessage } from "../broker.ts";

let tested: TestedBroker;

beforeEach(async () => {
  tested = await openTestedBroker();
});

afterEach(async () => {
  await tested[Symbol.asyncDispose]();
});

const hint = (text: string): OutgoingMessage => ({
  exchange: cancelExchange,
  routingKey: "",
  type: "test.v1",
  messageId: randomUUID(),
  body: Buffer.from(text),
});
const listen = async () => {
  const heard: string[] = [];
  const hear = async ({ body }: Delivery): Promise<void> => void heard.push(String(body));
  const listener = await tested.broker.listen(cancelExchange, hear);
  return { heard, [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose]() };
};

describe("listening", () => {
  test("receives broadcasts from then on, and again after its connection was lost", async () => {
    await tested.broker.publish(hint("too early"));
    await using one = await listen();
    await using other = await listen();
    await tested.broker.publish(hint("first"));
    await until(() => one.heard.length === 1 && other.heard.length === 1);

    tested.link.reset();
    await until(() => !tested.broker.isReady);
    await until(() => tested.broker.isReady);
    await tested.broker.publish(hint("second"));
    await until(() => one.heard.length === 2 && other.heard.length === 2);
    expect([one.heard, other.heard]).toEqual([
      ["first", "second"],
      ["first", "second"],
    ]);
  });

  test("leaves no queue behind", async () => {
    const listener = await listen();
    expect(await tested.broker.publish(hint("to its listener"))).toBe("stored");
    await listener[Symbol.asyncDispose]();
    expect(await tested.broker.publish(hint("to no queue"))).toBe("unroutable");
    expect(await tested.broker.publish({ ...hint("to no queue"), transient: true })).toBe("stored");
  });
});
