import { callsOf, type Json, TransientFault, type WorkflowDefinition } from "@holdfast/domain";
import { describe, expect, test } from "@jest/globals";
import { testWorkflow } from "../../test/fixtures.ts";
import { stepContracts } from "./output-contract.ts";

const [step] = callsOf(testWorkflow([{ name: "a" }]));
const operation = `${step?.agent}.${step?.operation}`;

const contractsOf = (schema: { readonly [key: string]: Json }) => {
  const definition: WorkflowDefinition = testWorkflow([{ name: "a" }]);
  const schemas = { [operation]: schema };
  return stepContracts({ ...definition, inputs: schemas, outputs: schemas });
};

const schema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: { ok: { type: "string", format: "uuid", pattern: "^[a-z]+$" } },
  required: ["ok"],
};

test("hashes of contracts that are stored are not made anew", () => {
  const definition = testWorkflow([{ name: "a" }]);
  const outputs = { [operation]: schema };
  expect(stepContracts({ ...definition, outputs }, { [operation]: "stored" }).hashOf("a")).toBe(
    "stored",
  );
  expect(stepContracts({ ...definition, outputs }).hashOf("a")).toMatch(/^[0-9a-f]{12}$/);
});

describe.each(["input", "output"] as const)("an %s", (what) => {
  test.each([
    [{ ok: 5 }, "/ok must be string"],
    [{}, "/ must have required property 'ok'"],
    [null, "/ must be object"],
  ])("of %j breaks the contract", async (value, problem) => {
    expect(await contractsOf(schema)[what]("a", value)).toMatchObject({
      code: `step.${what}_invalid`,
      message: `The ${what} at ${problem}`,
    });
  });

  test.each([{ ok: "yes" }, { ok: "yes", more: 1 }])("of %j keeps the contract", async (value) => {
    expect(await contractsOf(schema)[what]("a", value)).toBeNull();
  });

  test("is checked against a contract of JSON Schema 2020-12, too", async () => {
    const dialect = "https://json-schema.org/draft/2020-12/schema";
    const pair = { $schema: dialect, type: "array", prefixItems: [{ type: "string" }] };
    expect(await contractsOf(pair)[what]("a", ["x"])).toBeNull();
    expect((await contractsOf(pair)[what]("a", [1]))?.code).toBe(`step.${what}_invalid`);
  });

  test("may have any value without a contract, or with one that cannot be compiled", async () => {
    expect(await contractsOf(schema)[what]("b", 1)).toBeNull();
    expect(await contractsOf({ type: "no such type" })[what]("a", 1)).toBeNull();
    expect(await stepContracts(testWorkflow([{ name: "a" }]))[what]("a", 1)).toBeNull();
  });

  test("is not taken for right where its check was not begun, or failed by itself", async () => {
    for (const failure of [new TransientFault("request.overload", "full"), new Error("broken")]) {
      const definition = {
        ...testWorkflow([{ name: "a" }]),
        [`${what}s`]: { [operation]: schema },
      };
      const contracts = stepContracts(definition, null, () => () => Promise.reject(failure));
      await expect(contracts[what]("a", { ok: "yes" })).rejects.toBe(failure);
    }
  });

  test("is checked by what an earlier release stored, but for what this one cannot check in bounded time", async () => {
    const stored = {
      ...schema,
      properties: { ok: { type: "string", pattern: "^(a+)\\1$", maxLength: 3 } },
    };
    expect(await contractsOf(stored)[what]("a", { ok: "b" })).toBeNull();
    expect((await contractsOf(stored)[what]("a", { ok: "bbbb" }))?.code).toBe(
      `step.${what}_invalid`,
    );
    const back = { type: "string", pattern: "^(a+)\\1$" };
    const inverted = {
      properties: { ok: { not: back, oneOf: [back, { type: "string" }], if: back, else: back } },
      patternProperties: { "^(a+)\\1$": true },
      additionalProperties: false,
    };
    expect(await contractsOf(inverted)[what]("a", { ok: "b", aa: 1 })).toBeNull();
    const wide = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, index) => [`p${index}`, { type: "string" }]),
    );
    expect(await contractsOf({ properties: wide })[what]("a", { p1: 1 })).toBeNull();
  });

  test("that takes too many steps to check has a code of its own", async () => {
    const list = {
      items: { anyOf: [...Array.from({ length: 100 }, () => ({ type: "string" })), {}] },
    };
    const value = Array.from({ length: 50_000 }, () => 1);
    expect(await contractsOf(list)[what]("a", value)).toMatchObject({
      code: `step.${what}_too_costly`,
      message: expect.stringContaining("takes more than 1,000,000 steps to check"),
    });
  });
});
