import type { WorkflowDefinition } from "@holdfast/domain";
import { expect, test } from "@jest/globals";
import { withContentVersion } from "./dev-version.ts";

const definition: WorkflowDefinition = {
  format: 1,
  name: "welcome.v1",
  inputSchema: {},
  completeWithin: null,
  output: null,
  steps: [],
};

test("the same content is the same version, whatever version the file names", () => {
  const { name } = withContentVersion(definition);
  expect(name).toMatch(/^welcome\.v[1-9][0-9]{0,5}$/);
  expect(withContentVersion({ ...definition, name: "welcome.v2" }).name).toBe(name);
});

test("another content is another version", () => {
  const other = withContentVersion({ ...definition, completeWithin: 1_000 });
  expect(other.name).not.toBe(withContentVersion(definition).name);
});

test("a version that another content has is passed over, and versions never end at 0", () => {
  const names = [0, 1, 2].map((turn) => withContentVersion(definition, turn).name);
  expect(new Set(names).size).toBe(3);
  const last = [...Array(3).keys()].map((turn) => withContentVersion(definition, 999_999 + turn));
  expect(last.map(({ name }) => name)).toEqual(names);
});
