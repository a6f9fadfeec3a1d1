import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileInput } from "@holdfast/contracts";
import type { WorkflowDefinition } from "@holdfast/domain";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { z } from "zod";
import { type Sample, sampleInput } from "./sample-input.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-sample-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const schemaOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: "input" }) as WorkflowDefinition["inputSchema"];
const sampleOf = (schema: z.ZodType): Sample =>
  sampleInput(folder, { name: "pay.v3", inputSchema: schemaOf(schema) } as WorkflowDefinition);
const inputOf = (sample: Sample): unknown => ("input" in sample ? sample.input : sample);

function write(name: string, content: unknown): void {
  mkdirSync(join(folder, "cases"), { recursive: true });
  writeFileSync(
    join(folder, "cases", name),
    typeof content === "string" ? content : JSON.stringify(content),
  );
}

test.each([
  ["texts and formats", z.object({ to: z.email(), site: z.url(), id: z.uuid(), name: z.string() })],
  ["numbers with limits", z.object({ nights: z.int().min(3), price: z.number().gt(9) })],
  ["choices and constants", z.object({ kind: z.enum(["a", "b"]), format: z.literal(1) })],
  ["lists and parts", z.object({ lines: z.array(z.object({ sku: z.string() })).min(2) })],
  ["what may be left out", z.object({ note: z.string().optional(), paid: z.boolean() })],
  ["alternatives", z.union([z.object({ card: z.string().min(12) }), z.null()])],
  [
    "patterns",
    z.object({ month: z.string().regex(/^\d{4}-\d{2}$/), iban: z.string().regex(/^[A-Z]{2}\d+$/) }),
  ],
  [
    "instants and days",
    z.object({ at: z.iso.datetime(), on: z.iso.date(), wait: z.iso.duration() }),
  ],
  ["addresses", z.object({ a: z.ipv4(), b: z.ipv6(), slug: z.string().lowercase().length(5) })],
  [
    "pairs and maps",
    z.object({ pair: z.tuple([z.string(), z.int()]), of: z.record(z.string(), z.int()) }),
  ],
  [
    "unions by a field",
    z.discriminatedUnion("kind", [z.object({ kind: z.literal("card"), no: z.string() })]),
  ],
  ["parts of both", z.intersection(z.object({ a: z.string() }), z.object({ b: z.int() }))],
])("the sample of a schema with %s fits the schema", (_, schema) => {
  expect(compileInput(schemaOf(schema))(inputOf(sampleOf(schema)))).toEqual([]);
});

test("an example of the schema is the sample", () => {
  const schema = z.object({ to: z.string().meta({ examples: ["bob@example.com"] }) });
  expect(inputOf(sampleOf(schema))).toEqual({ to: "bob@example.com" });
});

const Month = z.object({ month: z.string().regex(/^\d{4}-\d{2}$/) });
const caseOf = (month: string, state: string, workflow = "pay") => ({
  name: "a month",
  workflow,
  input: { month },
  expect: { state },
});

test("the first case of the workflow that ends well is the sample, with its family or its version", () => {
  write("a.json", caseOf("2026-01", "undone"));
  write("b.json", "\ufeff{");
  write("c.json", caseOf("January", "processed"));
  write("d.json", caseOf("2026-02", "processed", "other"));
  write("e.json", "null");
  write("f.json", caseOf("2026-03", "processed"));
  write("g.json", caseOf("2026-04", "processed"));
  expect(inputOf(sampleOf(Month))).toEqual({ month: "2026-03" });
  write("aa.json", caseOf("2026-05", "processed", "pay.v3"));
  expect(inputOf(sampleOf(Month))).toEqual({ month: "2026-05" });
});

test("a case that is to fail is the sample only where none can be made", () => {
  write("a.json", caseOf("2026-01", "undone"));
  expect(inputOf(sampleOf(Month))).toEqual({ month: "0000-00" });
  const odd = z.object({ month: z.string().regex(/^(?=.*-)(?=.*0)[\d-]{7}$/) });
  expect(inputOf(sampleOf(odd))).toEqual({ month: "2026-01" });
});

test("where neither is there, the reason says what does not fit, and what to do", () => {
  const odd = z.object({ code: z.string().regex(/^(?=.*[a-z])(?=.*\d)[a-z\d]{8}$/) });
  expect(sampleOf(odd)).toEqual({
    reason: expect.stringMatching(
      /^No input of pay can be guessed \(\/code .*pattern.*\): write a case in cases\/\.$/,
    ),
  });
});
