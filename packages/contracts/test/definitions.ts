import { validateDefinition } from "../src/definition/validate-definition.ts";

/** A step of a definition as JSON, for tests. */
export const step = (name: string, overrides: object = {}) => ({
  name,
  agent: "shipping",
  operation: "ship",
  input: {},
  after: [],
  onlyIf: null,
  startWithin: 30_000,
  completeWithin: 5_000,
  retry: { failures: 3, backoff: 1_000, max: 60_000 },
  coolDown: null,
  onFailure: "undo",
  undo: null,
  ...overrides,
});

export const workflow = (steps: readonly unknown[], overrides: object = {}) => ({
  format: 1,
  name: "fulfil-order.v1",
  inputSchema: { type: "object" },
  steps,
  completeWithin: null,
  output: null,
  ...overrides,
});

/** The settings that a step and its undo have in common. */
export function policy() {
  const { startWithin, completeWithin, retry, coolDown } = step("x");
  return { startWithin, completeWithin, retry, coolDown };
}

/** What is wrong with a definition, one problem a line. */
export function problemsOf(json: unknown): readonly string[] {
  try {
    validateDefinition(json);
    return [];
  } catch (error) {
    return (error as Error).message.split("\n");
  }
}

export const ref = (pointer: string) => ({ $ref: pointer });
