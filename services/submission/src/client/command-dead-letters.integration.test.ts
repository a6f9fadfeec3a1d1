import { holdfastClient } from "@holdfast/client";
import type { OutgoingMessage } from "@holdfast/messaging";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type Commanded, json, openCommanded } from "../../test/command.ts";
import { idOf, token } from "../../test/trips.ts";

let commanded: Commanded;
let published: OutgoingMessage[] = [];
const holdfast: Commanded["holdfast"] = (...args) => commanded.holdfast(...args);

beforeAll(async () => {
  const publish = async (message: OutgoingMessage) => {
    published.push(message);
    return "stored" as const;
  };
  commanded = await openCommanded({ publish });
  await commanded.trips.clear();
});
afterAll(async () => {
  await commanded[Symbol.asyncDispose]();
});
beforeEach(() => {
  published = [];
});

const properties = {
  diedIn: "task.submissions",
  routingKey: "task.submissions",
  correlationId: null,
  replyTo: null,
  type: "order",
  messageId: "m1",
  headers: { workflow: "trip", "task-labels": '{"city":"Rome"}' },
  isWhole: true,
};
const deadLetter = {
  queue: "dead.requests",
  reason: "rejected",
  messageId: "m1",
  type: "order",
  sender: "shop",
  body: Buffer.from('{"guest":"Ada"}'),
  properties,
};

interface Shown {
  readonly id: string;
  readonly replayable: boolean;
}

test("the command lists dead letters, replays one and discards another, and shows who did", async () => {
  const { properties: _none, ...old } = deadLetter;
  await commanded.trips.store.recordDeadLetters([deadLetter, old]);
  const line = ["dead-letters", "list", "--limit", "1", "--all", "--json"];
  const [second, first] = json<readonly Shown[]>(await holdfast(line));
  expect([first?.replayable, second?.replayable]).toEqual([true, false]);
  const why = ["--reason", "it is stored now"];
  const replayed = await holdfast(["dead-letters", "replay", first?.id ?? "", ...why]);
  expect(replayed).toMatchObject({ code: 0, out: `${first?.id}: sent once more.\n` });
  expect(published).toMatchObject([
    {
      exchange: "holdfast.submissions",
      routingKey: "task.submissions",
      messageId: "m1",
      headers: properties.headers,
      body: deadLetter.body,
    },
  ]);
  const refused = await holdfast(["dead-letters", "replay", second?.id ?? "", ...why]);
  expect(refused).toMatchObject({ code: 5, err: expect.stringMatching(/earlier release/) });
  expect((await holdfast(["dead-letters", "discard", second?.id ?? "", ...why])).code).toBe(0);
  const done = json(await holdfast(["dead-letters", "actions", "--json"]));
  const actions = "items" in Object(done) ? Object(done).items : done;
  const by = { actor: "operator:ann", reason: "it is stored now" };
  expect(actions).toMatchObject([
    { id: second?.id, action: "discard", ...by },
    { id: first?.id, action: "replay", ...by },
  ]);
  expect((await holdfast(["dead-letters", "list"])).out).toContain("There is no dead letter.");
});

test("the client follows all tasks, and shows the system", async () => {
  const client = holdfastClient({ url: commanded.url, token, actor: "ann" });
  expect(await client.system.show()).toMatchObject({ queues: null, outbox: { waiting: 1 } });
  const stop = new AbortController();
  let id = "";
  for await (const change of client.changes({ signal: stop.signal })) {
    if (change.event === "tick" && id === "") id = idOf(await commanded.trips.submit());
    if (change.event === "changed" && change.tasks.some((task) => task.id === id)) break;
  }
  expect(id).not.toBe("");
});
