import { expect, test } from "@jest/globals";
import { bytesAsValues } from "./room.ts";

/** Bytes of the heap that a value takes, found by keeping many of it. */
function heapOf(text: string): number {
  const kept: unknown[] = [JSON.parse(text)];
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < 20; count += 1) kept.push(JSON.parse(text));
  return (process.memoryUsage().heapUsed - before) / (kept.length - 1);
}

test.each([
  ["empty lists", `[${"[],".repeat(60_000)}0]`],
  ["empty objects", `[${"{},".repeat(60_000)}0]`],
  ["small objects", `[${'{"a":1},'.repeat(25_000)}0]`],
  ["numbers", `[${"1.5,".repeat(50_000)}0]`],
  ["nested lists", `[${`${"[".repeat(50)}${"]".repeat(50)},`.repeat(2_000)}0]`],
  ["a text", JSON.stringify("x".repeat(200_000))],
])("a body of %s takes no more than is reserved for it", (_, text) => {
  expect(heapOf(text)).toBeLessThan(bytesAsValues(Buffer.from(text)));
});
