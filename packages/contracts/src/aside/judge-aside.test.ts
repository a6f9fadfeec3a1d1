import type { WorkflowDefinition } from "@holdfast/domain";
import { expect, test } from "@jest/globals";
import { ref, step, workflow } from "../../test/definitions.ts";
import { definitionHash } from "../definition/definition-hash.ts";
import { definitionFaults, refusedParts } from "../definition/validate-definition.ts";
import { valueFlow } from "../flow/value-flow.ts";
import {
  contractHashesAside,
  findDefinitionFaults,
  flowAside,
  judgeDefinition,
  meansTheSameAside,
} from "./judge-aside.ts";

/**
 * An operation of so many fields takes the input of the task, in which all but one may be missing.
 */
function taking(fields: number): WorkflowDefinition {
  const names = Array.from({ length: fields }, (_, index) => `field${index}`);
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  const input = Object.fromEntries(names.map((name) => [name, ref(`/input/${name}`)]));
  return workflow([step("ship", { input })], {
    inputSchema: { type: "object", properties, required: ["field0"] },
    inputs: { "shipping.ship": { type: "object", properties, required: names.slice(0, 2) } },
  }) as WorkflowDefinition;
}

test.each([
  ["small", taking(3)],
  ["large", taking(160)],
])("a %s definition is judged as it is where nothing waits for it", async (_, definition) => {
  expect(definitionFaults(definition)).toHaveLength(1);
  expect(await findDefinitionFaults(definition)).toEqual(definitionFaults(definition));
  expect(await flowAside(definition)).toEqual(valueFlow(definition));
  const judged = await judgeDefinition(definition);
  expect(judged.refused).toEqual(refusedParts(definition));
  expect(judged.hash).toBe(definitionHash(definition));
  expect(judged.contracts).toEqual(await contractHashesAside(definition));
  const other = { ...definition, completeWithin: 1_000 };
  expect(await meansTheSameAside({ ...definition }, definition)).toBe(true);
  expect(await meansTheSameAside({ ...other }, definition)).toBe(false);
});

test("a definition that is large is judged in a thread, and a small one here", () => {
  expect(flowAside(taking(3))).not.toBeInstanceOf(Promise);
  expect(flowAside(taking(160))).toBeInstanceOf(Promise);
});

test.each([null, 1, [], "x".repeat(20_000), { steps: {} }, { inputSchema: 1, steps: [1] }])(
  "what is no definition has faults, too: %j",
  async (json) => {
    expect(await findDefinitionFaults(json)).toEqual(definitionFaults(json));
    expect(await findDefinitionFaults(json)).not.toEqual([]);
  },
);
