import { expect, test } from "@jest/globals";
import { Type } from "typebox";
import { definitionSchema } from "../definition/definition-schema.ts";
import * as contracts from "../index.ts";
import { limits } from "./limits.ts";
import { Payload } from "./parts.ts";
import { unboundedParts } from "./unbounded-parts.ts";

const messages = Object.values(contracts).flatMap((exported) =>
  typeof exported === "object" && "schema" in exported ? [exported] : [],
);

test("the test covers all eight messages", () => {
  expect(messages.map(({ type }) => type).toSorted()).toEqual([
    "agent.heartbeat.v1",
    "step.cancel.v1",
    "step.progress.v1",
    "step.reply.v1",
    "step.request.v1",
    "task.alert.v1",
    "task.refused.v1",
    "task.status.v1",
  ]);
});

test.each(messages.map(({ type, schema }) => [type, schema] as const))(
  "every number, text and list of %s has a bound that the store can keep",
  (_, schema) => {
    expect(unboundedParts(schema)).toEqual([]);
  },
);

test("every number, text and list of a workflow's definition has a bound", () => {
  expect(unboundedParts(definitionSchema, { largest: Number.MAX_SAFE_INTEGER })).toEqual([]);
});

test.each([
  ["a text", Type.String(), "a text without maxLength"],
  ["a text of a pattern", Type.String({ pattern: "^a*$" }), "a text without maxLength"],
  ["a number", Type.Integer({ minimum: 0 }), "a number without bounds"],
  ["a large number", Type.Integer({ minimum: 0, maximum: 2 ** 31 }), "a number without bounds"],
  ["a list", Type.Array(Type.Null()), "a list without maxItems"],
  ["what is in a list", Type.Array(Type.String(), { maxItems: 1 }), "a text without maxLength"],
  ["one of several", Type.Union([Type.Null(), Type.String()]), "a text without maxLength"],
  ["a map", Type.Record(Type.String(), Type.String()), "a text without maxLength"],
  ["JSON", Type.Any(), "anything at all"],
])("%s without a bound is found, however deep", (_, schema, fault) => {
  expect(unboundedParts(Type.Object({ a: Type.Object({ b: schema }) }))).toEqual([
    expect.stringMatching(new RegExp(`^/a/b.*: ${fault}$`)),
  ]);
});

test("a schema with bounds everywhere is not reported", () => {
  const schema = Type.Object({
    literal: Type.Literal("a"),
    choice: Type.Enum(["a", "b"]),
    flag: Type.Boolean(),
    payload: Payload,
    count: Type.Integer({ minimum: 0, maximum: limits.integer }),
  });
  expect(unboundedParts(schema)).toEqual([]);
});
