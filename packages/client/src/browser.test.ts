import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";

const folder = new URL(".", import.meta.url);

test("the main entry imports nothing but its own files, so that browsers can load it", () => {
  const files = readdirSync(folder).filter(
    (name) => !name.endsWith(".test.ts") && name !== "postgres.ts",
  );
  const imported = files.flatMap((name) => {
    const text = readFileSync(new URL(name, folder), "utf8");
    const statements = text.matchAll(/^(import|export) (?!type)[^;]*? from "([^"]+)"/gms);
    return [...statements].map(([, , from]) => from ?? "");
  });
  expect(imported.length).toBeGreaterThan(10);
  expect(imported.filter((from) => !from.startsWith("./"))).toEqual([]);
});
