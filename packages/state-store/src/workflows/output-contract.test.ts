import type { Json, WorkflowDefinition } from "@holdfast/domain";
import { describe, expect, test } from "@jest/globals";
import { testWorkflow } from "../../test/fixtures.ts";
import { stepContracts } from "./output-contract.ts";

const [step] = testWorkflow([{ name: "a" }]).steps;
const operation = `${step?.agent}.${step?.operation}`;

const contractsOf = (schema: { readonly [key: string]: Json }) => {
  const definition: WorkflowDefinition = testWorkflow([{ name: "a" }]);
  const schemas = { [operation]: schema };
  return stepContracts({ ...definition, inputs: schemas, outputs: schemas });
};

const schema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: { ok: { type: "string", format: "uuid" } },
  required: ["ok"],
};

describe.each(["input", "output"] as const)("an %s", (what) => {
  test.each([
    [{ ok: 5 }, "/ok must be string"],
    [{}, "/ must have required property 'ok'"],
    [null, "/ must be object"],
  ])("of %j breaks the contract", (value, problem) => {
    expect(contractsOf(schema)[what]("a", value)).toMatchObject({
      code: `step.${what}_invalid`,
      message: `The ${what} at ${problem}`,
    });
  });

  test.each([{ ok: "yes" }, { ok: "yes", more: 1 }])("of %j keeps the contract", (value) => {
    expect(contractsOf(schema)[what]("a", value)).toBeNull();
  });

  test("is checked against a contract of JSON Schema 2020-12, too", () => {
    const dialect = "https://json-schema.org/draft/2020-12/schema";
    const pair = { $schema: dialect, type: "array", prefixItems: [{ type: "string" }] };
    expect(contractsOf(pair)[what]("a", ["x"])).toBeNull();
    expect(contractsOf(pair)[what]("a", [1])?.code).toBe(`step.${what}_invalid`);
  });

  test("may have any value without a contract, or with one that cannot be compiled", () => {
    expect(contractsOf(schema)[what]("b", 1)).toBeNull();
    expect(contractsOf({ type: "no such type" })[what]("a", 1)).toBeNull();
    expect(stepContracts(testWorkflow([{ name: "a" }]))[what]("a", 1)).toBeNull();
  });
});
