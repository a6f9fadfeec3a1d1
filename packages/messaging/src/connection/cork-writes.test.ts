import { Writable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { corkWrites } from "./cork-writes.ts";

const socket = () => {
  const written: string[][] = [];
  const writable = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      written.push([chunk]);
      done();
    },
    writev(chunks, done) {
      written.push(chunks.map(({ chunk }) => String(chunk)));
      done();
    },
  });
  corkWrites(writable);
  return { writable, written };
};

test("writes of one turn of the event loop leave as one packet, in order, and later writes apart", async () => {
  const { writable, written } = socket();
  for (const word of ["a", "b", "c"]) writable.write(word);
  expect(written).toEqual([]);
  await turn();
  writable.write("d");
  await turn();
  expect(written).toEqual([["a", "b", "c"], ["d"]]);
});

test("a writer that exceeds the buffer gets backpressure, and a drain event", async () => {
  const { writable } = socket();
  const drained = new Promise((resolve) => writable.once("drain", resolve));
  expect(writable.write("x".repeat(writable.writableHighWaterMark))).toBe(false);
  await drained;
  expect(writable.write("y")).toBe(true);
});
