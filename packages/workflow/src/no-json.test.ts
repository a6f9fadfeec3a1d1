import { expect, test } from "@jest/globals";
import { z } from "zod";
import { defineAgent } from "./agent.ts";
import { defineWorkflow } from "./define-workflow.ts";
import type { Schema } from "./schema.ts";

const bad: readonly (readonly [string, Schema, string])[] = [
  ["a date", z.object({ when: z.date() }), "/when: a Date cannot be JSON: use z.iso.datetime()"],
  ["a bigint in a list", z.object({ all: z.array(z.bigint()) }), "/all/*: a bigint cannot be JSON"],
  [
    "a Map that may be left out",
    z.object({ "a/b": z.map(z.string(), z.string()).optional() }),
    "/a~1b: a Map cannot be JSON: use z.record()",
  ],
  ["a Set of a choice", z.union([z.string(), z.set(z.string())]), ": a Set cannot be JSON"],
  [
    "a date within itself",
    z.object({
      get next() {
        return z.object({ at: z.date() }).nullable();
      },
    }),
    "/next/at: a Date cannot be JSON",
  ],
];

test.each(bad)("a contract with %s is refused with its field", (_, schema, words) => {
  const good = z.object({});
  expect(() => defineWorkflow("d.v1", schema as typeof good, () => null)).toThrow(
    expect.objectContaining({
      code: "workflow.invalid",
      message: expect.stringContaining(`d.v1, input${words}`),
    }),
  );
  for (const part of ["input", "output"] as const) {
    const operation = { input: good, output: good, [part]: schema };
    expect(() => defineAgent("cal", { add: operation })).toThrow(
      expect.objectContaining({
        code: "agent.invalid",
        message: expect.stringContaining(`Agent cal: operation "add", ${part}${words}`),
      }),
    );
  }
});

test("an Agent may make a Date of the text that it is given, and a text of what it returns", () => {
  const taken = z.object({
    at: z.coerce.date(),
    in: z.string().transform((text) => new Date(text)),
  });
  const returned = z.object({ at: z.date().transform((date) => date.toISOString()) });
  expect(() => defineAgent("cal", { add: { input: taken, output: z.null() } })).not.toThrow();
  expect(() => defineAgent("cal", { add: { input: z.null(), output: returned } })).not.toThrow();
});

test("what a library cannot write as JSON Schema is refused with the name of its workflow", () => {
  const schema = z.object({ a: z.string().transform(Number).pipe(z.custom()) });
  expect(() => defineWorkflow("d.v1", z.custom() as unknown as typeof schema, () => null)).toThrow(
    expect.objectContaining({
      code: "workflow.invalid",
      message: expect.stringMatching(/^d\.v1, input: /),
    }),
  );
});
