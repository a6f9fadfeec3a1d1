import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { packAll } from "./pack-all.ts";
import { runTravel } from "./run-travel.ts";
import { serveTarballs } from "./serve-tarballs.ts";
import { whyNotRun } from "./why-not-run.ts";

const why = await whyNotRun();
const testHere = why === null ? test : test.skip;
const because = why === null ? "" : ` (skipped: ${why})`;

testHere(
  `trips with Agents in TypeScript, Python and bash end right, from the packed packages${because}`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "holdfast-travel-"));
    try {
      await using registry = await serveTarballs(await packAll(join(folder, "tarballs")));
      const options = { folder: join(folder, "travel"), registryUrl: registry.url, count: 20 };
      const figures = await runTravel(options);
      expect(figures).toEqual({
        travels: 22,
        lost: 0,
        doubled: 0,
        conformance: 12,
        processesLeft: 0,
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
