import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { clientFile, clientFiles } from "./write-clients.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const read = (name: string): string => readFileSync(join(root, name), "utf8");

test.each(clientFiles)("%s on the disk is what follows from openapi.json", async (name) => {
  expect(read(name) === (await clientFile(name))).toBe(true);
});

test.each(clientFiles)("git ignores %s", (name) => {
  expect(read(".gitignore").split("\n")).toContain(name);
});
