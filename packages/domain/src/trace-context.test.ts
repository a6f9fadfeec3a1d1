import { expect, test } from "@jest/globals";
import * as fc from "fast-check";
import {
  atSpan,
  fromTraceText,
  isSampled,
  readTraceContext,
  spanIdOf,
  traceIdOf,
  traceText,
} from "./trace-context.ts";

const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const span = "00f067aa0ba902b7";
const traceparent = `00-${trace}-${span}-01`;

test("the headers of a trace are read", () => {
  const context = readTraceContext(traceparent, "rojo=00f067aa0ba902b7, congo=t61rcWkgMzE");
  expect(context).toEqual({ traceparent, tracestate: "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE" });
  expect(traceIdOf(context!)).toBe(trace);
  expect(spanIdOf(context!)).toBe(span);
  expect(isSampled(context!)).toBe(true);
});

test("the sampling decision of the caller is kept, and flags without a meaning are not", () => {
  expect(isSampled(readTraceContext(`00-${trace}-${span}-00`)!)).toBe(false);
  expect(readTraceContext(`00-${trace}-${span}-fd`)?.traceparent).toBe(`00-${trace}-${span}-01`);
});

test("a newer version with more fields is read as version 00", () => {
  expect(readTraceContext(`01-${trace}-${span}-01-more`)?.traceparent).toBe(traceparent);
});

test.each<[string, unknown]>([
  ["is missing", undefined],
  ["is a number", 5],
  ["is a list", [traceparent]],
  ["is bytes", Buffer.from(traceparent)],
  ["is empty", ""],
  ["is too short", traceparent.slice(0, -1)],
  ["is of version 00 and too long", `${traceparent}-more`],
  ["is endless", `01-${trace}-${span}-01-${"x".repeat(100_000)}`],
  ["comes twice", `${traceparent}, ${traceparent}`],
  ["has upper case", traceparent.toUpperCase()],
  ["has a NUL", `00-${trace.slice(1)}\0-${span}-01`],
  ["has a line break at its end", `${traceparent}\n`],
  ["has digits of another script", traceparent.replaceAll("4", "٤")],
  ["is of version ff", `ff-${trace}-${span}-01`],
  ["has no trace", `00-${"0".repeat(32)}-${span}-01`],
  ["has no span", `00-${trace}-${"0".repeat(16)}-01`],
])("a traceparent that %s is ignored", (_, header) => {
  expect(readTraceContext(header, "a=1")).toBeNull();
});

test.each<[string, unknown]>([
  ["of 10 kB", `a=${"x".repeat(10_000)}`],
  ["of many members", Array.from({ length: 33 }, (_, index) => `a${index}=1`).join(",")],
  ["with a NUL", "a=1\0"],
  ["with a line break", "a=1\nb=2"],
  ["with half a character", "a=\ud800"],
  ["with a key in upper case", "A=1"],
  ["without values", "a,b"],
  ["that is no text", { a: 1 }],
  ["that is empty", " , "],
])("a tracestate %s is dropped, and the trace goes on", (_, tracestate) => {
  expect(readTraceContext(traceparent, tracestate)).toEqual({ traceparent, tracestate: null });
});

test("whatever comes, what is carried on is bounded and printable", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (parent, state) => {
      for (const context of [
        readTraceContext(parent, state),
        readTraceContext(traceparent, state),
      ]) {
        if (context !== null) expect(traceText(context)).toMatch(/^[\x20-\x7e]{55,568}$/);
      }
    }),
  );
});

test("a context is the same after it was stored as a text", () => {
  for (const tracestate of [null, "a=1", "a=x y,b=2"]) {
    expect(fromTraceText(traceText({ traceparent, tracestate }))).toEqual({
      traceparent,
      tracestate,
    });
  }
  expect(fromTraceText(null)).toBeNull();
  expect(fromTraceText("not a trace")).toBeNull();
});

test("another span of the same trace keeps its state and its sampling", () => {
  const context = readTraceContext(`00-${trace}-${span}-00`, "a=1")!;
  expect(atSpan(context, "b7ad6b7169203331")).toEqual({
    traceparent: `00-${trace}-b7ad6b7169203331-00`,
    tracestate: "a=1",
  });
});
