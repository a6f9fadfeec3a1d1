import type { Json, WorkflowDefinition } from "@holdfast/domain";
import { expect, test } from "@jest/globals";
import { outputContract } from "./output-contract.ts";
import { testWorkflow } from "./testing.ts";

const contractOf = (schema: { readonly [key: string]: Json }) => {
  const definition: WorkflowDefinition = testWorkflow([{ name: "a" }]);
  const [step] = definition.steps;
  return outputContract({
    ...definition,
    outputs: { [`${step?.agent}.${step?.operation}`]: schema },
  });
};

const schema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object",
  properties: { ok: { type: "string", format: "uuid" } },
  required: ["ok"],
};

test.each([
  [{ ok: 5 }, "The output at /ok must be string"],
  [{}, "The output at / must have required property 'ok'"],
  [null, "The output at / must be object"],
])("an output of %j breaks the contract", (output, message) => {
  expect(contractOf(schema)("a", output)).toMatchObject({ code: "step.output_invalid", message });
});

test.each([{ ok: "yes" }, { ok: "yes", more: 1 }])("an output of %j keeps it", (output) => {
  expect(contractOf(schema)("a", output)).toBeNull();
});

test("a step without a contract, or with one that cannot be compiled, may return anything", () => {
  expect(contractOf(schema)("b", 1)).toBeNull();
  expect(contractOf({ type: "no such type" })("a", 1)).toBeNull();
  expect(outputContract(testWorkflow([{ name: "a" }]))("a", 1)).toBeNull();
});
