import { Writable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { writeTogether } from "./write-together.ts";

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
  writeTogether(writable);
  return { writable, written };
};

test("what is said in one turn is written as one, in order, and what comes later by itself", async () => {
  const { writable, written } = socket();
  for (const word of ["a", "b", "c"]) writable.write(word);
  expect(written).toEqual([]);
  await turn();
  writable.write("d");
  await turn();
  expect(written).toEqual([["a", "b", "c"], ["d"]]);
});

test("whoever says too much at once is told to wait, and when to go on", async () => {
  const { writable } = socket();
  const drained = new Promise((resolve) => writable.once("drain", resolve));
  expect(writable.write("x".repeat(writable.writableHighWaterMark))).toBe(false);
  await drained;
  expect(writable.write("y")).toBe(true);
});
