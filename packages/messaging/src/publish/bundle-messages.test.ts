import { expect, test } from "@jest/globals";
import { array, assert, asyncProperty, json } from "fast-check";
import type { OutgoingMessage, PublishResult } from "../broker.ts";
import { bodiesOf, bundleMessages } from "./bundle-messages.ts";

const message = (text: string, changes: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  exchange: "",
  routingKey: "agent.payments",
  type: "step.request.v1",
  messageId: `id of ${text}`,
  correlationId: `task of ${text}`,
  body: Buffer.from(text),
  bundle: { key: "payments", most: 10 },
  ...changes,
});

function bundling(answer: PublishResult = "stored") {
  const sent: OutgoingMessage[] = [];
  const publish = bundleMessages(async (outgoing) => {
    sent.push(outgoing);
    return answer;
  });
  const textsSent = () =>
    sent.map(({ body, contentType }) => bodiesOf(body, contentType).map(String));
  return { publish, sent, textsSent };
}

test("messages published in one turn leave as one bundle, and each publisher gets the outcome", async () => {
  const { publish, sent, textsSent } = bundling("unroutable");
  const first = ["a", "b", "c"].map((text) => publish(message(text)));
  expect(sent).toEqual([]);
  expect(await Promise.all(first)).toEqual(["unroutable", "unroutable", "unroutable"]);
  await publish(message("d"));
  expect(textsSent()).toEqual([["a", "b", "c"], ["d"]]);
});

test("a lone message is not bundled", async () => {
  const { publish, sent } = bundling();
  await publish(message("a"));
  expect(sent).toEqual([message("a")]);
});

test("a bundle holds no more messages than its limit", async () => {
  const { publish, textsSent } = bundling();
  const two = { bundle: { key: "payments", most: 2 } };
  await Promise.all(["a", "b", "c", "d", "e"].map((text) => publish(message(text, two))));
  expect(textsSent()).toEqual([["a", "b"], ["c", "d"], ["e"]]);
});

test("only messages with the same route that allow bundling are bundled", async () => {
  const { publish, textsSent } = bundling();
  await Promise.all([
    publish(message("a")),
    publish(message("b", { bundle: { key: "shipping", most: 10 } })),
    publish(message("c", { bundle: { key: "payments", most: 1 } })),
    publish({ ...message("d"), bundle: undefined } as unknown as OutgoingMessage),
    publish(message("two\nlines")),
    publish(message("e")),
  ]);
  const sets = new Set(textsSent().map((texts) => texts.join(" and ")));
  expect(sets).toEqual(new Set(["a and e", "b", "c", "d", "two\nlines"]));
});

test("a bundle is closed before it exceeds its size limit", async () => {
  const { publish, textsSent } = bundling();
  const texts = ["a", "b", "c"].map((letter) => letter.repeat(30_000));
  await Promise.all(texts.map((text) => publish(message(text))));
  expect(textsSent()).toEqual([texts.slice(0, 2), texts.slice(2)]);
});

test("a bundle expires with its most urgent message, and carries no task id", async () => {
  const { publish, sent } = bundling();
  const times = [30_000, 20_000, 40_000];
  await Promise.all(times.map((ms) => publish(message(`${ms}`, { expirationMs: ms }))));
  expect(sent).toMatchObject([{ expirationMs: 20_000, messageId: "id of 30000" }]);
  expect(sent[0]).not.toHaveProperty("correlationId");
});

test("unbundling returns the bundled messages unchanged", async () => {
  const texts = array(json(), { minLength: 1, maxLength: 10 });
  await assert(
    asyncProperty(texts, async (all) => {
      const { publish, textsSent } = bundling();
      await Promise.all(all.map((text) => publish(message(text))));
      expect(textsSent()).toEqual([all]);
    }),
  );
});

test.each([
  ["of another kind", "a\nb\n", "application/json", ["a\nb\n"]],
  ["without a last newline", "a\nb", "application/x-ndjson", ["a", "b"]],
  ["with nothing on a line", "a\n\nb\n", "application/x-ndjson", ["a", "", "b"]],
  ["of nothing", "", "application/x-ndjson", [""]],
])("a stranger's message %s is read as far as it goes", (_, content, type, expected) => {
  expect(bodiesOf(Buffer.from(content), type).map(String)).toEqual(expected);
});

test("a bundle with too many messages counts as unreadable", () => {
  const content = Buffer.from("\n".repeat(100_000));
  expect(bodiesOf(content, "application/x-ndjson")).toEqual([content]);
});
