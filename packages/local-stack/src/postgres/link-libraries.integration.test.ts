import { mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { linkLibraries } from "./link-libraries.ts";

test("linkLibraries makes the links that an install script would have made, and again changes nothing", async () => {
  const parent = mkdtempSync(join(tmpdir(), "holdfast-links-"));
  try {
    const root = join(parent, "native");
    mkdirSync(join(root, "lib"), { recursive: true });
    writeFileSync(join(root, "lib/libpq.so.5.18"), "");
    const links = [{ source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5" }];
    writeFileSync(join(root, "pg-symlinks.json"), JSON.stringify(links));
    await linkLibraries({ root });
    await linkLibraries({ root });
    expect(readlinkSync(join(root, "lib/libpq.so.5"))).toBe("libpq.so.5.18");
  } finally {
    rmSync(parent, { recursive: true });
  }
});
