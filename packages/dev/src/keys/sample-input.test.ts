import { compileInput } from "@holdfast/contracts";
import { expect, test } from "@jest/globals";
import { z } from "zod";
import { sampleInput } from "./sample-input.ts";

test.each([
  ["texts and formats", z.object({ to: z.email(), site: z.url(), id: z.uuid(), name: z.string() })],
  ["numbers with limits", z.object({ nights: z.int().min(3), price: z.number().gt(9) })],
  ["choices and constants", z.object({ kind: z.enum(["a", "b"]), format: z.literal(1) })],
  ["lists and parts", z.object({ lines: z.array(z.object({ sku: z.string() })).min(2) })],
  ["what may be left out", z.object({ note: z.string().optional(), paid: z.boolean() })],
  ["alternatives", z.union([z.object({ card: z.string().min(12) }), z.null()])],
])("the sample of a schema with %s fits the schema", (_, schema) => {
  const json = z.toJSONSchema(schema, { io: "input" });
  expect(compileInput(json as Parameters<typeof compileInput>[0])(sampleInput(json))).toEqual([]);
});

test("an example of the schema is the sample", () => {
  const schema = z.object({ to: z.string().meta({ examples: ["bob@example.com"] }) });
  expect(sampleInput(z.toJSONSchema(schema))).toEqual({ to: "bob@example.com" });
});
