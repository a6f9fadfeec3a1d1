import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { whyNotCut } from "./run-without-network.ts";
import { interfacesLeft, startClone, whyNotCloned } from "./start-clone.ts";

const why = (await whyNotCut()) ?? (await whyNotCloned());
if (why !== null) process.stderr.write(`No clone is started without a network: ${why}.\n`);
const describeCut = why === null ? describe : describe.skip;
const because = why === null ? "" : ` (skipped: ${why})`;

const folder = mkdtempSync(join(tmpdir(), "holdfast-air-gapped-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describeCut(`while the network is cut${because}`, () => {
  test("npm start of a fresh clone installs from caches and ends its orders right", async () => {
    expect(await interfacesLeft()).toEqual(["lo"]);
    const { code, output } = await startClone({ folder: join(folder, "filled") });
    expect(output).toContain("Installing the packages …");
    expect(output).toContain("Every order ended right.");
    expect(code).toBe(0);
  });

  test("npm start of a fresh clone without caches says that it needs a network", async () => {
    const { code, output } = await startClone({ folder: join(folder, "empty"), kept: [] });
    expect(output).toMatch(/Is there a network\?|check the network/);
    expect(code).toBe(1);
  });
});
