import { globSync } from "node:fs";
import { unboundedParts } from "@holdfast/contracts";
import { expect, test } from "@jest/globals";
import { pathOf } from "./repository.ts";
import { configOf } from "./service-config.ts";

const services = globSync("{services,examples/orders}/*/src/{,server/}config.ts", {
  cwd: pathOf("."),
});

test.each(services)("each environment variable of %s has a bound", async (file) => {
  const config = await configOf(file.replace(/src\/(server\/)?config\.ts$/, "dist/main.js"));
  expect(unboundedParts(config, { largest: Number.MAX_SAFE_INTEGER })).toEqual([]);
});

test("the test covers all six services and the modules of Agents", () => {
  expect(services).toHaveLength(7);
});
