import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { boundedOutput } from "./log-output.ts";

/** A reader that takes so many bytes at a time, with a clock that the test turns. */
function openReader(most: number) {
  const state = { text: "", room: Number.POSITIVE_INFINITY, isGone: false, writes: 0 };
  const due: (() => void)[] = [];
  const output = boundedOutput({
    most,
    clock: { after: (_, act) => (due.push(act), () => {}) },
    write(bytes) {
      state.writes += 1;
      if (state.isGone) throw Object.assign(new Error("gone"), { code: "EPIPE" });
      if (state.room === 0) return null;
      const part = bytes.subarray(0, state.room);
      state.room -= part.length;
      state.text += part.toString();
      return part.length;
    },
  });
  const turn = (): void => {
    for (const act of due.splice(0)) act();
  };
  return { output, state, turn, isIdle: () => due.length === 0 };
}

test("an output writes each line before it returns, and keeps no timer", () => {
  const { output, state, isIdle } = openReader(100);
  for (const line of ["one\n", "zwei ü\n"]) output.write(line);
  expect(state.text).toBe("one\nzwei ü\n");
  expect(isIdle()).toBe(true);
});

test("an output whose reader stands still returns at once, and keeps what has room, in its order", () => {
  const { output, state, turn, isIdle } = openReader(14);
  state.room = 2;
  for (const line of ["one\n", "two\n", "six\n", "ten\n", "end\n"]) output.write(line);
  expect(state.text).toBe("on");
  expect(output.dropped).toBe(1);
  // It is tried by the clock, and not by each line.
  expect(state.writes).toBe(2);
  state.room = Number.POSITIVE_INFINITY;
  turn();
  expect(state.text).toBe("one\ntwo\nsix\nten\n");
  output.write("more\n");
  expect(state.text).toBe("one\ntwo\nsix\nten\nmore\n");
  turn();
  expect(isIdle()).toBe(true);
});

test("an output says once how many lines it dropped, as soon as half of its room is free", () => {
  const { output, state, turn } = openReader(16);
  const said: number[] = [];
  output.onRoom((lines) => {
    said.push(lines);
    output.write(`dropped ${lines}\n`);
  });
  state.room = 0;
  for (let line = 0; line < 20; line += 1) output.write("abc\n");
  expect([output.dropped, said]).toEqual([16, []]);
  state.room = 4;
  turn();
  expect(said).toEqual([]);
  state.room = Number.POSITIVE_INFINITY;
  turn();
  turn();
  expect([output.dropped, said]).toEqual([16, [16]]);
  expect(state.text).toBe(`${"abc\n".repeat(4)}dropped 16\n`);
});

test("an output whose reader has gone drops all without an error and without a timer", () => {
  const { output, state, isIdle } = openReader(100);
  state.isGone = true;
  for (let line = 0; line < 3; line += 1) output.write("abc\n");
  expect([state.writes, isIdle()]).toEqual([1, true]);
});

test("an output that ends writes what it kept, and does not wait for a reader that stands still for long", () => {
  const { output, state } = openReader(100);
  state.room = 0;
  output.write("last words\n");
  const from = performance.now();
  output.end();
  expect(performance.now() - from).toBeLessThan(2_000);
  state.room = Number.POSITIVE_INFINITY;
  output.end();
  expect(state.text).toBe("last words\n");
});

test("whatever its reader takes, an output writes whole lines in their order, and says of all others that they are missing", () => {
  const act = fc.oneof(
    fc.record({ kind: fc.constant("write" as const), size: fc.integer({ min: 1, max: 40 }) }),
    fc.record({ kind: fc.constant("read" as const), size: fc.integer({ min: 0, max: 60 }) }),
  );
  fc.assert(
    fc.property(fc.array(act, { maxLength: 200 }), (acts) => {
      const { output, state, turn } = openReader(100);
      let [said, written] = [0, 0];
      output.onRoom((lines) => {
        said += lines;
      });
      state.room = 0;
      for (const { kind, size } of acts) {
        if (kind === "read") {
          state.room += size;
          turn();
        } else {
          output.write(`${written}:${"x".repeat(size)}\n`);
          written += 1;
        }
      }
      state.room = Number.POSITIVE_INFINITY;
      turn();
      turn();
      const numbers = state.text
        .split("\n")
        .slice(0, -1)
        .map((line) => Number(line.split(":")[0]));
      expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
      expect(numbers.length + said).toBe(written);
      expect(said).toBe(output.dropped);
    }),
  );
});
