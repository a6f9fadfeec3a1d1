import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inputClassNames, runFuzz } from "@holdfast/fuzz";
import { migratedDatabase, testBroker } from "@holdfast/test-servers";
import { expect, test } from "@jest/globals";

test("ten seconds of hostile messages and requests crash, stall and lose nothing", async () => {
  await using database = await migratedDatabase();
  await using broker = await testBroker();
  const folder = await mkdtemp(join(tmpdir(), "holdfast-fuzz-"));
  const said: string[] = [];
  const report = await runFuzz({
    stateStoreUrl: database.url,
    brokerUrl: broker.url,
    importDefinitions: broker.importDefinitions,
    folder,
    seconds: 10,
    // A slow machine takes longer.
    least: 251,
    rate: 1_000,
    orders: 20,
    // Always the same, so that no change fails for what another one broke; `npm run fuzz` takes
    // others.
    seed: 15,
    from: 0,
    classes: inputClassNames,
    say: (line) => said.push(line),
  });
  const { sent, crashed, stalled, fivexx, lost, doubled, violations } = report;
  const verdict = { crashed, stalled, fivexx, lost, doubled, violations };
  const right = { crashed: 0, stalled: 0, fivexx: 0, lost: 0, doubled: 0, violations: 0 };
  const isRight = Object.values(verdict).every((count) => count === 0);
  // The folder has the inputs that did harm: it stays.
  if (isRight) await rm(folder, { recursive: true });
  else process.stderr.write(`${JSON.stringify({ folder, said, report }, null, 2)}\n`);
  expect(verdict).toEqual(right);
  expect(sent).toBeGreaterThan(250);
});
