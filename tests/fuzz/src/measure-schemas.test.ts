import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { testScope } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";
import type { SchemaFigures } from "./measure-schemas.ts";

const main = fileURLToPath(new URL("./main.ts", import.meta.url));

/** The schemas of a run: the same few each time, a tenth of all, or all. */
function sizeOfScope() {
  const { kind, tenth } = testScope();
  if (kind === "all") return { from: 1, count: 4_000 };
  if (kind === "usual") return { from: 1, count: 20 };
  return { from: 1 + 400 * tenth, count: 400 };
}

/**
 * The most time for which an event loop may stand still, in times of a check of a pattern: 50 ms,
 * where that takes 3.
 */
const most = 16;

test("no generated schema, stored, compiled or checked, stops an event loop for longer than it may", async () => {
  const { from, count } = sizeOfScope();
  // As a process of its own: Jest's modules are slower.
  const node = ["--conditions=@holdfast/source", "--disable-warning=ExperimentalWarning"];
  const options = ["--schemas", String(count), "--from", String(from), "--json"];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    ...node,
    main,
    ...options,
  ]);
  process.stderr.write(stderr);
  const { schemas, worst } = JSON.parse(stdout) as SchemaFigures;
  expect(schemas).toBe(count);
  expect(Object.entries(worst).filter(([, { ratio }]) => ratio > most)).toEqual([]);
}, 1_200_000);
