import { EventEmitter } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "@jest/globals";
import type { Channel } from "amqplib";
import { keepChannel } from "./keep-channel.ts";

/** A channel that says when it is closed. */
const newChannel = (): Channel =>
  Object.assign(new EventEmitter(), { close: async () => {} }) as unknown as Channel;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("channels that were replaced, and all that they hold, leave the memory", async () => {
  const opened: WeakRef<Channel>[] = [];
  let next = Promise.withResolvers<void>();
  const kept = await keepChannel({
    name: "test",
    create: async () => newChannel(),
    open: async (channel) => {
      opened.push(new WeakRef(channel));
      next.resolve();
      next = Promise.withResolvers();
    },
    closing: async () => {},
    signal: new AbortController().signal,
    log: { warn: () => {} },
  });
  for (let replaced = 0; replaced < 3; replaced += 1) {
    const another = next.promise;
    kept.replace();
    await another;
    await turn();
  }
  await turn();
  collectGarbage();
  expect(opened.map((channel) => channel.deref() === kept.current)).toEqual([
    false,
    false,
    false,
    true,
  ]);
  expect(opened.filter((channel) => channel.deref() !== undefined)).toHaveLength(1);
  await kept[Symbol.asyncDispose]();
});
