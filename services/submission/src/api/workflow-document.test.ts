import type { WorkflowDefinition } from "@holdfast/domain";
import { expect, test } from "@jest/globals";
import { bookTrip } from "../../test/bookings.ts";
import { type TypedWorkflow, withWorkflows } from "./workflow-document.ts";

const body = {
  type: "object",
  properties: {
    workflow: { type: "string", description: "Which." },
    input: { description: "Any JSON." },
    key: { type: "string" },
  },
  required: ["workflow"],
  additionalProperties: false,
};
const operation = (operationId: string, schema: object, parameters: readonly object[] = []) => ({
  post: { operationId, parameters, requestBody: { content: { "application/json": { schema } } } },
});
const plain = {
  openapi: "3.1.0",
  paths: {
    "/v1/tasks": operation("submitTask", body),
    "/v1/{collection}": operation("submitTaskOfCollection", {}, [
      { in: "path", name: "collection" },
      { in: "header", name: "task-key" },
    ]),
  },
  components: {
    schemas: {
      Task: { type: "object", properties: { result: { description: "Any." } } },
      TaskResult: { type: "object", properties: { result: { description: "Any." } } },
    },
  },
};

interface Shown {
  readonly paths: Readonly<Record<string, ReturnType<typeof operation>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Record<string, unknown>>> };
}
const shown = (...workflows: readonly TypedWorkflow[]): Shown =>
  withWorkflows(plain, workflows) as Shown;
const schemaOf = ({ post }: ReturnType<typeof operation>) =>
  post.requestBody.content["application/json"].schema;

const text = { type: "string" };
const workflow = (changes: Partial<WorkflowDefinition>): TypedWorkflow => ({
  definition: { ...bookTrip, ...changes },
  collections: [],
});

test("without a workflow the document stays as it is", () => {
  expect(withWorkflows(plain, [])).toEqual(plain);
});

test("a submission names a workflow and has its input, and a noun has a path of its own", () => {
  const { paths, components } = shown({ definition: bookTrip, collections: ["bookings"] });
  expect(Object.keys(paths)).toEqual(["/v1/tasks", "/v1/bookings"]);
  const [tasks, bookings] = Object.values(paths);
  expect(schemaOf(tasks!)).toEqual({ $ref: "#/components/schemas/BookTripSubmission" });
  expect(schemaOf(bookings!)).toEqual({ $ref: "#/components/schemas/BookTripInput" });
  expect(bookings?.post).toMatchObject({
    operationId: "submitBookTrip",
    parameters: [{ in: "header", name: "task-key" }],
  });
  const { BookTripSubmission, BookTripInput, TaskResult } = components.schemas;
  expect(BookTripSubmission).toMatchObject({
    properties: {
      workflow: { type: "string", enum: ["book-trip", "book-trip.v1"], description: "Which." },
      input: { $ref: "#/components/schemas/BookTripInput" },
      key: text,
    },
    required: ["workflow", "input"],
  });
  expect(BookTripInput).toEqual(bookTrip.inputSchema);
  expect(TaskResult).toMatchObject({
    properties: {
      result: { anyOf: [{ $ref: "#/components/schemas/BookTripResult" }, { type: "null" }] },
    },
  });
  expect(components.schemas["BookTripResult"]).toMatchObject({
    type: "object",
    properties: { reservationId: { type: "string" } },
    required: ["reservationId"],
  });
});

test("of several workflows a submission is that of one, and no two schemas share a name", () => {
  const other = workflow({ name: "task.v2" });
  const { paths, components } = shown({ definition: bookTrip, collections: [] }, other);
  expect(schemaOf(paths["/v1/tasks"]!)).toEqual({
    oneOf: [
      { $ref: "#/components/schemas/BookTripSubmission" },
      { $ref: "#/components/schemas/TaskSubmission" },
    ],
  });
  // TaskResult is the answer of a route.
  expect(Object.keys(components.schemas)).toContain("TaskResult2");
});

test("what a schema defines for itself becomes a schema of the document", () => {
  const inputSchema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      to: { $ref: "#/$defs/postal-address" },
      self: { $ref: "#" },
      street: { $ref: "#/$defs/postal-address/properties/street" },
      also: { $ref: "#/properties/to" },
    },
    $defs: { "postal-address": { type: "object", properties: { street: text } } },
  };
  const { components } = shown(workflow({ name: "a.v1", inputSchema, output: null }));
  const input = "#/components/schemas/AInput";
  expect(components.schemas["AInput"]).toEqual({
    type: "object",
    properties: {
      to: { $ref: `${input}PostalAddress` },
      self: { $ref: input },
      street: { $ref: `${input}PostalAddress/properties/street` },
      also: { $ref: `${input}/properties/to` },
    },
  });
  expect(components.schemas["AInputPostalAddress"]).toEqual({
    type: "object",
    properties: { street: text },
  });
});

test("the schema of a result follows from what its references lead to", () => {
  const [reserve, risk, ...others] = bookTrip.steps;
  const inputSchema = {
    type: "object",
    properties: {
      note: text,
      lines: { type: "array", items: { type: "object", properties: { sku: text } } },
    },
    required: ["lines"],
  };
  const output = {
    id: { $ref: "/steps/reserve/reservationId" },
    verdict: { $ref: "/steps/assess-risk/verdict" },
    note: { $ref: "/input/note" },
    first: { $ref: "/input/lines/0" },
    nothing: { $ref: "/input/none" },
    unknown: { $ref: "/steps/reserve/none" },
    label: { $concat: ["x", { $ref: "/input/note" }] },
    or: { $fallback: [{ $ref: "/input/note" }, "none"] },
    literal: { $literal: { $ref: "x" } },
    kind: "trip",
    count: 2,
    flag: true,
    none: null,
    list: [{ $ref: "/input/note" }, 1],
  };
  const steps = [
    reserve!,
    { ...risk!, onlyIf: { equals: [{ $ref: "/input/note" }, "x"] } as never },
    ...others,
  ];
  const { components } = shown(workflow({ name: "a.v1", inputSchema, steps, output }));
  const { properties, required } = components.schemas["AResult"] as {
    properties: Record<string, object>;
    required: string[];
  };
  const orNull = (schema: object) => ({ anyOf: [schema, { type: "null" }] });
  expect(properties).toEqual({
    id: { ...text, minLength: 1, maxLength: 200 },
    verdict: orNull({ ...text, minLength: 1, maxLength: 200 }),
    note: text,
    first: { type: "object", properties: { sku: text } },
    nothing: {},
    unknown: {},
    label: text,
    or: { anyOf: [text, { type: "string", enum: ["none"] }] },
    literal: { const: { $ref: "x" } },
    kind: { type: "string", enum: ["trip"] },
    count: { type: "number", enum: [2] },
    flag: { type: "boolean", enum: [true] },
    none: { type: "null" },
    list: { type: "array", items: { anyOf: [orNull(text), { type: "number", enum: [1] }] } },
  });
  expect(required.toSorted()).toEqual(
    ["count", "flag", "id", "kind", "list", "literal", "none", "or", "verdict"].toSorted(),
  );
});

test("a reference that cannot be decoded stays as it is: an earlier release may have stored one", () => {
  const inputSchema = {
    type: "object",
    properties: { to: { $ref: "#/$defs/%zz" } },
    $defs: { "%zz": text },
  };
  const { components } = shown(workflow({ inputSchema }));
  expect(components.schemas["BookTripInput"]).toMatchObject({
    properties: { to: { $ref: expect.stringMatching(/^#\/components\/schemas\/BookTripInput/) } },
  });
});
