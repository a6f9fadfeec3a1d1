import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { chainOfReferences, hostileSchemas } from "../../test/hostile-schemas.ts";
import { limits } from "../limits/limits.ts";
import { schemaCompiler } from "./schema-compiler.ts";
import { schemaChecks } from "./schema-faults.ts";

const schemaFaults = (json: unknown) => [...schemaChecks(json)].flat();

const corpus = Object.entries(hostileSchemas);

/** A check may take so many times as long as all steps of a pattern: 50 ms, where these take 5. */
const most = 10;

const timing = fileURLToPath(new URL("../../test/time-hostile-schemas.ts", import.meta.url));

describe("a hostile schema", () => {
  /** How long each check takes, by name, as a multiple of what all steps of a pattern take. */
  let ratios: Readonly<Record<string, number>> = {};
  beforeAll(async () => {
    const { check } = schemaCompiler({ allErrors: false })({ pattern: "b$" });
    expect(check("a".repeat(500_000)).isTooCostly).toBe(true);
    const options = ["--conditions=@holdfast/source", "--disable-warning=ExperimentalWarning"];
    const timed = await promisify(execFile)(process.execPath, [...options, timing]);
    ratios = JSON.parse(timed.stdout) as Record<string, number>;
  });

  test.each(corpus)(
    "with %s is stored or refused, with the place and what to do",
    (_, { schema, refusal }) => {
      const faults = schemaFaults({ inputSchema: { type: "object" }, outputs: { "a.do": schema } });
      if (refusal === undefined) expect(faults).toEqual([]);
      else
        expect(faults).toContainEqual({
          pointer: expect.stringMatching(/^\/outputs\/a\.do/),
          detail: expect.stringMatching(refusal),
        });
    },
  );

  test.each(corpus)("with %s takes no more time than its steps allow", (name) => {
    expect(ratios[name]).toBeLessThan(most);
  });

  /** Acts far deeper in the stack than a service does. */
  const behindFrames = (frames: number, act: () => void): void =>
    frames === 0 ? act() : behindFrames(frames - 1, act);

  test.each(["allOf", "anyOf", "oneOf"] as const)(
    "of as many levels as there may be compiles wherever it is compiled, by %s",
    (keyword) => {
      const faults = (length: number) =>
        schemaFaults({ inputSchema: chainOfReferences(length, keyword) });
      const isTaken = (length: number): boolean => faults(length).length === 0;
      const longest = Array.from({ length: 200 }, (_, index) => index + 1).findLast(isTaken)!;
      expect(longest).toBeGreaterThan(50);
      expect(faults(longest + 1)).toMatchObject([{ detail: expect.stringMatching(/128 levels/) }]);
      behindFrames(3_000, () => {
        const { check } = schemaCompiler({ allErrors: true })(chainOfReferences(longest, keyword));
        expect(check({ x: "text" }).errors).not.toEqual([]);
      });
    },
  );

  test("finds no more errors in a large value than one", () => {
    const { schema, value } = hostileSchemas["unknown fields"]!;
    expect(schemaCompiler({ allErrors: true })(schema).check(value).errors).toHaveLength(1);
    const few = { a: 1, b: 2, c: 3 };
    expect(schemaCompiler({ allErrors: true })(schema).check(few).errors).toHaveLength(3);
  });

  test("of which one part may have looked at nothing is checked as it says", () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      patternProperties: { "^a": true },
      allOf: [{ dependentSchemas: { b: { patternProperties: { "^b": true } } } }],
      unevaluatedProperties: false,
    };
    const { check } = schemaCompiler({ allErrors: false })(schema);
    const isFit = (value: unknown) => check(value).errors.length === 0;
    expect([{ abc: 1 }, { abc: 1, b: 2 }, { b: 2 }, { c: 3 }].map(isFit)).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  test("whose check throws refuses the value, and says so", () => {
    const { check } = schemaCompiler({ allErrors: false })({
      required: ["a"],
      properties: { a: {} },
    });
    const value = Object.defineProperty({}, "a", {
      enumerable: true,
      get: () => {
        throw new TypeError("it is odd");
      },
    });
    const { errors, isTooCostly } = check(value);
    expect({ isTooCostly, errors }).toMatchObject({
      isTooCostly: false,
      errors: [
        { instancePath: "", message: expect.stringMatching(/cannot be checked.*it is odd/) },
      ],
    });
  });

  test("ends a check after the steps that it may take, with what to do", () => {
    const { schema, value } = hostileSchemas["references that double, value that fits"]!;
    const { errors, isTooCostly, steps } = schemaCompiler({ allErrors: true })(schema).check(value);
    expect({ isTooCostly, errors }).toMatchObject({
      isTooCostly: true,
      errors: [{ instancePath: "", message: expect.stringMatching(/1,000,000 steps.*send less/) }],
    });
    expect(steps).toBeLessThanOrEqual(limits.checkSteps);
  });
});
