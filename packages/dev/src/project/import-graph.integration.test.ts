import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { importGraph } from "./import-graph.ts";

test("importGraph follows relative imports, also in circles, and stops at what is not there", () => {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-graph-"));
  try {
    mkdirSync(join(folder, "lib"));
    const at = (name: string) => join(folder, name);
    writeFileSync(at("mail.ts"), 'import { z } from "zod";\nimport { a } from "./lib/a.ts";\n');
    writeFileSync(at("lib/a.ts"), 'export * from "../mail.ts";\nawait import("./b.ts");\n');
    writeFileSync(at("lib/b.ts"), 'import type { C } from "./gone.ts";\n');
    writeFileSync(at("other.ts"), "");
    const files = [...importGraph(at("mail.ts"))];
    expect(files).toEqual([at("mail.ts"), at("lib/a.ts"), at("lib/b.ts")]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
