import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { trip } from "../test/trips.ts";
import { storeWorkflows } from "./store-workflows.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-modules-"));
afterAll(() => rmSync(folder, { recursive: true }));

type Service = Parameters<typeof storeWorkflows>[0];
type Stored = Parameters<typeof storeWorkflows>[1];

test("a service says at its start which of its workflows are retired, as storing them changes nothing of that", async () => {
  const [retired, active] = [join(folder, "retired.json"), join(folder, "active.json")];
  writeFileSync(retired, JSON.stringify(trip("retired.v1")));
  writeFileSync(active, JSON.stringify(trip("active.v1")));
  const warned: unknown[] = [];
  const log = { info: () => {}, warn: (...line: unknown[]) => void warned.push(line) };
  const store = {
    registerWorkflow: async () => "unchanged",
    findWorkflows: async () => [
      { name: "other.v1", retiredAt: new Date(), retiredBy: "operator:bob" },
      { name: "retired.v1", retiredAt: new Date(), retiredBy: "operator:ann" },
      { name: "active.v1", retiredAt: null, retiredBy: null },
    ],
  };
  const config = { WORKFLOW_MODULES: `${retired},${active}` };
  const service = { config, log, instanceId: "submission-1" } as unknown as Service;
  const directory = { reload: async () => {} };
  await storeWorkflows(service, { store, directory } as unknown as Stored);
  expect(warned).toEqual([
    [
      { workflow: "retired.v1", retiredBy: "operator:ann" },
      "stored workflow is retired: it takes no new tasks",
    ],
  ]);
});
