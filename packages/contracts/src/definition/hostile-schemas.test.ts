import { beforeAll, describe, expect, test } from "@jest/globals";
import { hostileSchemas } from "../../test/hostile-schemas.ts";
import { limits } from "../limits/limits.ts";
import { schemaCompiler } from "./schema-compiler.ts";
import { schemaChecks } from "./schema-faults.ts";

const schemaFaults = (json: unknown) => [...schemaChecks(json)].flat();

const corpus = Object.entries(hostileSchemas);

/** The time of the processor that a check takes at best, in milliseconds. It is tried again while it takes more than `enough`. */
function timeOf({ schema, value }: (typeof hostileSchemas)[string], enough = 0): number {
  const { check } = schemaCompiler({ allErrors: true })(schema);
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 3 || (tries < 12 && best > enough); tries += 1) {
    const before = process.cpuUsage();
    check(value);
    best = Math.min(best, process.cpuUsage(before).user / 1_000);
  }
  return best;
}

/** As many times as long as all steps of a pattern may a check take: 50 ms, where these take 3. */
const most = 16;

describe("a hostile schema", () => {
  /** What it takes to follow a pattern for as many steps as a check has. */
  let allSteps = 0;
  beforeAll(() => {
    const plain = { schema: { pattern: "b$" }, value: "a".repeat(500_000) };
    const { check } = schemaCompiler({ allErrors: false })(plain.schema);
    expect(check(plain.value).isTooCostly).toBe(true);
    allSteps = timeOf(plain);
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

  test.each(corpus)("with %s takes no more time than its steps allow", (_, one) => {
    expect(timeOf(one, (most / 2) * allSteps) / allSteps).toBeLessThan(most);
  });

  test("finds no more errors in a large value than one", () => {
    const { schema, value } = hostileSchemas["unknown fields"]!;
    expect(schemaCompiler({ allErrors: true })(schema).check(value).errors).toHaveLength(1);
    const few = { a: 1, b: 2, c: 3 };
    expect(schemaCompiler({ allErrors: true })(schema).check(few).errors).toHaveLength(3);
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
