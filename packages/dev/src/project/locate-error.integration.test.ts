import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-locate-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const module = new URL("./locate-error.ts", import.meta.url).href;
const program = `
import { locateError } from "${module}";
const [file, folder] = process.argv.slice(2);
await import(file).catch((error) => console.log(JSON.stringify(locateError(error, file, folder))));
`;

/**
 * What is said of a file that cannot be loaded, by a process of its own: Jest reports syntax errors
 * otherwise.
 */
async function locate(name: string, source: string) {
  const [file, main] = [join(folder, name), join(folder, "locate.mjs")];
  writeFileSync(file, source);
  writeFileSync(main, program);
  const { promise, resolve } = Promise.withResolvers<string>();
  const node = ["--conditions=@holdfast/source", "--no-warnings"];
  execFile(process.execPath, [...node, main, file, folder], (_, out, err) => resolve(out || err));
  return JSON.parse(await promise) as unknown;
}

test.each([
  ["a type that does not end", "a.ts", "export const a = 1;\nexport const b = {{;\n", "a.ts:2"],
  ["syntax that Node does not strip", "b.ts", "export enum Colour { red }\n", "b.ts:1"],
  ["a bracket too many", "c.mjs", "export const a = 1;\n\nexport const b = 2);\n", "c.mjs:3"],
  ["a name declared twice", "d.mjs", "export const a = 1;\nexport const a = 2;\n", "d.mjs:2"],
  ["a name that does not exist", "e.ts", "export const a: number = missing;\n", "e.ts:1"],
  ["an import that is not there", "f.ts", 'import { no } from "node:fs";\nno();\n', "f.ts:1"],
])("locateError says file and line of %s", async (_, name, source, place) => {
  expect(await locate(name, source)).toMatchObject({ place, message: expect.stringMatching(/\w/) });
});

test("locateError names the file when the line cannot be known", async () => {
  const missing = 'import "./missing.ts";\n';
  expect(await locate("g.ts", missing)).toMatchObject({
    place: "g.ts",
    message: expect.stringContaining("missing.ts"),
  });
});
