import { expect, test } from "@jest/globals";
import { array, assert, nat, property } from "fast-check";
import { eventStreamReader } from "./event-stream.ts";

const stream =
  ': hello\n\nid: 1\nevent: moved\ndata: {"a":1}\n\nid: 2\r\ndata: one\r\ndata: two\r\n\r\nevent: end\ndata:x\n\n';
const events = [
  { id: null, event: "", data: "" },
  { id: "1", event: "moved", data: '{"a":1}' },
  { id: "2", event: "message", data: "one\ntwo" },
  { id: null, event: "end", data: "x" },
];

test("a stream is read alike wherever it is cut", () => {
  assert(
    property(array(nat(stream.length), { maxLength: 12 }), (places) => {
      const cuts = [0, ...places.toSorted((a, b) => a - b), stream.length];
      const read = eventStreamReader();
      const found = cuts.slice(1).flatMap((end, index) => read(stream.slice(cuts[index], end)));
      expect(found).toEqual(events);
    }),
  );
});

test("an event that never ends is refused", () => {
  const read = eventStreamReader();
  expect(() => {
    for (let index = 0; index < 6; index += 1) read("x".repeat(1024 * 1024));
  }).toThrow("too long");
});
