import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { followPage } from "./follow-page.ts";
import { packAll } from "./pack-all.ts";
import { serveTarballs } from "./serve-tarballs.ts";

test("the page about the first workflow works word for word outside of the repository, and Ctrl-C leaves no process", async () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-page-"));
  try {
    await using registry = await serveTarballs(await packAll(join(folder, "tarballs")));
    const options = { folder: join(folder, "page"), registryUrl: registry.url };
    const { processesLeft, ...times } = await followPage(options);
    expect(processesLeft).toBe(0);
    for (const ms of Object.values(times)) expect(ms).toBeGreaterThan(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
