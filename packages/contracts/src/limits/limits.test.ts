import { expect, test } from "@jest/globals";
import { Type } from "typebox";
import { definitionSchema } from "../definition/definition-schema.ts";
import * as contracts from "../index.ts";
import { limits } from "./limits.ts";
import { loweredMark, Payload } from "./parts.ts";
import { unboundedParts } from "./unbounded-parts.ts";

const messages = Object.values(contracts).flatMap((exported) =>
  typeof exported === "object" && "schema" in exported ? [exported] : [],
);

test("the test covers all messages", () => {
  expect(messages.map(({ type }) => type).toSorted()).toEqual([
    "agent.heartbeat.v1",
    "reply.probe.v1",
    "schedule.event.v1",
    "signal.refused.v1",
    "step.cancel.v1",
    "step.progress.v1",
    "step.reply.v1",
    "step.request.v1",
    "task.alert.v1",
    "task.approval.v1",
    "task.refused.v1",
    "task.signal.v1",
    "task.status.v1",
  ]);
});

test.each(messages.map(({ type, schema }) => [type, schema] as const))(
  "every number, text and list of %s has a bound that the store can keep",
  (_, schema) => {
    expect(unboundedParts(schema)).toEqual([]);
  },
);

/** What its submitter wrote, and gets back as it was. */
const returned = ["/correlationId", "/messageId"];

test.each(messages.map(({ type, schema }) => [type, schema] as const))(
  "no text of %s commands a terminal",
  (_, schema) => {
    const texts = textsIn(schema);
    const paths = texts.map(([path]) => path);
    expect(texts.filter(isOpen).map(([path]) => path)).toEqual(
      paths.filter((path) => returned.includes(path)),
    );
  },
);

test("names of steps in a definition are names in messages", () => {
  const name = textsIn(definitionSchema as Schema).find(([path]) => path === "/steps/*/name");
  expect(name).toBeDefined();
  expect(name && isOpen(name)).toBe(false);
});

interface Schema {
  readonly type?: string | readonly string[];
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** All texts of a schema that it does not list itself, by their places. */
function textsIn(schema: Schema, path = ""): readonly (readonly [string, Schema])[] {
  const { type, anyOf = [], properties = {}, items } = schema;
  return [
    ...anyOf.flatMap((one) => textsIn(one, path)),
    ...Object.entries(properties).flatMap(([name, one]) => textsIn(one, `${path}/${name}`)),
    ...(items === undefined ? [] : textsIn(items, `${path}/*`)),
    ...([type].flat().includes("string") && !("const" in schema) && !("enum" in schema)
      ? [[path, schema] as const]
      : []),
  ];
}

/** One of C0 and C1 each, a deletion, and two that turn the direction. */
const commands = ["\0", "\b", "\r", "\u001b", "\u007f", "\u009b", "\u202e", "\u2066"];

const isOpen = ([, { pattern = "" }]: readonly [string, Schema]): boolean =>
  commands.some((command) => new RegExp(pattern, "u").test(command));

test("every number, text and list of a workflow's definition has a bound", () => {
  expect(unboundedParts(definitionSchema, { largest: Number.MAX_SAFE_INTEGER })).toEqual([]);
});

test.each([
  ["a text", Type.String(), "a text without maxLength"],
  ["a text of a pattern", Type.String({ pattern: "^a*$" }), "a text without maxLength"],
  ["a number", Type.Integer({ minimum: 0 }), "a number without bounds"],
  ["a large number", Type.Integer({ minimum: 0, maximum: 2 ** 31 }), "a number without bounds"],
  ["what is lowered", Type.Integer({ $comment: loweredMark }), "a number without bounds"],
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
    lowered: Type.Integer({ minimum: 1, $comment: loweredMark }),
  });
  expect(unboundedParts(schema)).toEqual([]);
});
