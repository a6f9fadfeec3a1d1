import { readFileSync } from "node:fs";
import type { Json } from "@holdfast/domain";
import { schemaCompiler } from "../src/definition/schema-compiler.ts";
import { schemaChecks } from "../src/definition/schema-faults.ts";
import type { Dialect } from "../src/schema/dialect.ts";
import { isObject, type JsonSchema } from "../src/schema/schema-keywords.ts";

/** A schema of the official suite, with values that fit it and others. */
export interface SuiteGroup {
  readonly dialect: Dialect;
  /** The file that it stands in: that of a keyword, mostly. */
  readonly file: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly tests: readonly SuiteTest[];
}

interface SuiteTest {
  readonly description: string;
  readonly value: Json;
  readonly isValid: boolean;
}

const names = {
  "draft-07": "http://json-schema.org/draft-07/schema#",
  "2020-12": "https://json-schema.org/draft/2020-12/schema",
} as const;

type Line = readonly [string, string, Json, readonly (readonly [string, Json, boolean])[]];

/** The groups of the suite for a dialect. Each schema says which it is of. */
export function suiteOf(dialect: Dialect): readonly SuiteGroup[] {
  const file = new URL(`json-schema-test-suite/${dialect}.jsonl`, import.meta.url);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map((line) => {
    const [name, description, schema, tests] = JSON.parse(line) as Line;
    return {
      dialect,
      file: name,
      description,
      schema: { $schema: names[dialect], ...(isObject(schema) ? schema : { allOf: [schema] }) },
      tests: tests.map(([about, value, isValid]) => ({ description: about, value, isValid })),
    };
  });
}

/**
 * What becomes of a group: its schema is refused when it is stored, or each of its tests is right
 * or wrong.
 */
export interface SuiteResult {
  readonly group: SuiteGroup;
  /** Why the schema is not stored; null: it is. */
  readonly refusal: string | null;
  readonly wrong: readonly SuiteTest[];
}

export function resultOf(group: SuiteGroup): SuiteResult {
  const [fault] = [...schemaChecks({ inputSchema: group.schema })].flat();
  if (fault !== undefined) {
    return { group, refusal: `${fault.pointer} ${fault.detail}`, wrong: [] };
  }
  const { check } = schemaCompiler({ allErrors: false })(group.schema);
  const isRight = ({ value, isValid }: SuiteTest): boolean =>
    (check(value).errors.length === 0) === isValid;
  return { group, refusal: null, wrong: group.tests.filter((test) => !isRight(test)) };
}
