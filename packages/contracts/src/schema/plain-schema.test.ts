import { expect, test } from "@jest/globals";
import { schemaCompiler } from "../definition/schema-compiler.ts";

const $schema = "https://json-schema.org/draft/2020-12/schema";

test.each([
  ["dependentRequired", { $schema, dependentRequired: { a: ["b", "c"] } }],
  ["dependencies that are lists", { dependencies: { a: ["b", "c"] } }],
  [
    "dependentRequired beside dependentSchemas of the same name",
    { $schema, dependentRequired: { a: ["b"] }, dependentSchemas: { a: { required: ["c"] } } },
  ],
])(
  "%s asks for the other fields where its own is there, and for none where it is not",
  (_, schema) => {
    const { check } = schemaCompiler({ allErrors: true })(schema);
    const missing = (value: object) =>
      check(value).errors.flatMap(
        ({ params }) => (params["missingProperty"] as string | undefined) ?? [],
      );
    expect(missing({ a: 1 }).toSorted()).toEqual(["b", "c"]);
    expect(missing({ a: 1, b: 1 })).toEqual(["c"]);
    expect(missing({ a: 1, b: 1, c: 1 })).toEqual([]);
    expect(missing({ d: 1 })).toEqual([]);
  },
);
