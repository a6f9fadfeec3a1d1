import { expect, test } from "@jest/globals";
import { outputRoom } from "./output-room.ts";

const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve));
const stays = new AbortController().signal;

test("handlers of which no output is known begin a few at a time", async () => {
  const room = outputRoom();
  let begun = 0;
  for (let count = 0; count < 100; count += 1) void room.turn("read")?.then(() => (begun += 1));
  await new Promise((resolve) => process.nextTick(resolve));
  await Promise.resolve();
  expect(begun).toBe(8);
  for (let turns = 0; turns < 100; turns += 1) await turnOfLoop();
  expect(begun).toBe(100);
});

test("an operation that returns little waits for nothing, and reserves nothing", () => {
  const room = outputRoom();
  room.returned("read", 100);
  expect([room.turn("read"), room.reserve("read", stays)]).toEqual([null, null]);
});

test("outputs have so many bytes from the handler to the broker, and one that is large is remembered for a while", async () => {
  const room = outputRoom();
  const mebibyte = 1024 * 1024;
  room.returned("read", 16 * mebibyte);
  const held = [await room.reserve("read", stays), await room.reserve("read", stays)];
  const waiting = room.reserve("read", stays);
  room.returned("read", 10);
  // It stands for eight mebibytes now, and there is no room for these either.
  const smaller = room.reserve("read", stays);
  const gone = new AbortController();
  const left = room.reserve("read", gone.signal);
  gone.abort();
  expect(await left).toBeNull();
  for (const one of held) one?.[Symbol.dispose]();
  (await waiting)?.[Symbol.dispose]();
  (await smaller)?.[Symbol.dispose]();
  for (let count = 0; count < 20; count += 1) room.returned("read", 10);
  expect(room.reserve("read", stays)).toBeNull();
});
