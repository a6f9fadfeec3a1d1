import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

const modules = new URL("./index.ts", import.meta.url).href;
const program = `
import { filesSeen, loadModule } from "${modules}";
const [file, folder] = process.argv.slice(2);
const answer = await loadModule(file, folder).then(
  (module) => ({ names: Object.keys(module), seen: filesSeen().map((one) => one.slice(folder.length + 1)) }),
  ({ message }) => ({ message }),
);
process.stdout.write(JSON.stringify(answer));
`;

/** A name of folders that URLs and stacks write in another way. */
let folder: string;

const any = "*";
const files: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({ type: "module", imports: { [`#lib/${any}`]: `./lib/${any}` } }),
  "tsconfig.json": `{\n  ${"/".repeat(2)} Comments, and commas at ends.\n  "extends": "./base.json", "compilerOptions": { "strict": true, },\n}`,
  "base.json": `{ "compilerOptions": { "paths": { "@/${any}": ["./${any}"], "words": ["./lib/words.ts"] } } }`,
  "lib/words.ts": "export const word = 1;\nexport type Word = number;\n",
  "lib/data.json": "{}",
  "lib/deep.ts": "\n\nexport enum Deep {}\n",
  "lib/folder/index.ts": "export const word = 1;\n",
  "old/package.json": JSON.stringify({ type: "commonjs" }),
  "old/names.js": "const all = () => ({ one: 1, two: 2 });\nmodule.exports = all();\n",
  "old/required.cts": 'const { word } = require("../lib/words");\nexports.word = word;\n',
};

beforeAll(() => {
  const made = mkdtempSync(join(tmpdir(), "holdfast-modules-"));
  folder = join(made, "my shöp (1)");
  for (const [name, text] of Object.entries(files)) write(name, text);
});
afterAll(() => rmSync(dirname(folder), { recursive: true }));

function write(name: string, text: string | Uint8Array): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

interface Answer {
  readonly names?: readonly string[];
  readonly seen?: readonly string[];
  readonly message?: string;
}

/** Loads a file in a process of its own: Jest has another loader. */
async function load(name: string, text: string | Uint8Array | null = null): Promise<Answer> {
  const file = text === null ? join(folder, name) : write(name, text);
  const main = write("main.mjs", program);
  const { promise, resolve } = Promise.withResolvers<string>();
  const args = ["--conditions=@holdfast/source", "--no-warnings", main, file, folder];
  execFile(process.execPath, args, (_, out, err) =>
    resolve(out || JSON.stringify({ message: err })),
  );
  return JSON.parse(await promise) as Answer;
}

test.each([
  ["its extension", "../lib/words.ts"],
  ["the extension of what it is compiled to", "../lib/words.js"],
  ["no extension", "../lib/words"],
  ["a folder", "../lib/folder"],
  ["imports of package.json", "#lib/words.ts"],
  ["imports of package.json, and the extension of what it is compiled to", "#lib/words.js"],
  ["paths of tsconfig.json", "@/lib/words"],
  ["an exact path of tsconfig.json", "words"],
])("a module may name another one by %s, and what it is made of is known", async (_, specifier) => {
  const text = `import { word } from "${specifier}";\nexport const doubled = 2 * word;\n`;
  const { names, seen, message } = await load("workflows/w.ts", text);
  expect({ names, message }).toEqual({ names: ["doubled"] });
  const other = specifier.endsWith("folder") ? "lib/folder/index.ts" : "lib/words.ts";
  expect(seen).toEqual(expect.arrayContaining(["workflows/w.ts", other]));
});

test("a CommonJS module has all names of its exports, and may name another one without an extension", async () => {
  expect((await load("old/names.js")).names).toEqual(expect.arrayContaining(["one", "two"]));
  expect((await load("old/required.cts")).names).toContain("word");
});

test("a definition as JSON may have a byte order mark", async () => {
  expect(await load("w.json", '\ufeff{\r\n"format": 1\r\n}\r\n')).toMatchObject({
    names: ["default"],
  });
});

test.each<[string, string, string | Uint8Array, RegExp]>([
  [
    "a file that is not there",
    "workflows/a.ts",
    '\nimport "../lib/gone.js";\n',
    /^workflows\/a\.ts:2: "\.\.\/lib\/gone\.js" cannot be found: there is no such file$/,
  ],
  [
    "a package that is not installed",
    "workflows/b.ts",
    '\n\nimport "@shop/gone";\n',
    /^workflows\/b\.ts:3: "@shop\/gone" cannot be found: it is no package .* path of tsconfig\.json$/,
  ],
  [
    "imports that are not there",
    "workflows/c.ts",
    'import "#gone";\n',
    /^workflows\/c\.ts:1: "#gone" cannot/,
  ],
  [
    "what Node does not strip, in a file that it imports",
    "workflows/d.ts",
    'import "../lib/deep.ts";\n',
    /^lib\/deep\.ts:3: TypeScript enum is not supported in strip-only mode: Node only leaves types out\. Write/,
  ],
  [
    "a type that is imported as a value",
    "workflows/e.ts",
    '\nimport { Word } from "../lib/words.ts";\nexport const word: Word = 1;\n',
    /^workflows\/e\.ts:2: .* does not provide an export named 'Word'\. If it is a type, write import type$/,
  ],
  [
    "JSON without its type",
    "workflows/f.ts",
    '\nimport data from "../lib/data.json";\nexport { data };\n',
    /^workflows\/f\.ts:2: .*: write with \{ type: "json" \} after its name$/,
  ],
  [
    "an ES module in a CommonJS project",
    "old/w.ts",
    '\nimport { word } from "../lib/words.ts";\nexport { word };\n',
    /^old\/w\.ts:2: .*: package\.json says "type": "commonjs"\. Write "module" there, or end/,
  ],
  [
    "a fault of its own",
    "workflows/g.ts",
    '\nthrow new Error("no");\n',
    /^workflows\/g\.ts:2: no$/,
  ],
  [
    "JSON that breaks off",
    "workflows/h.json",
    '{\n"a": 1,\n}',
    /^workflows\/h\.json:3: This is not JSON/,
  ],
  [
    "UTF-16",
    "workflows/i.json",
    new Uint8Array(Buffer.from("\ufeff{}", "utf16le")),
    /^workflows\/i\.json: The file is in UTF-16: save it as UTF-8$/,
  ],
])("a file is refused with its place and a remedy for %s", async (_, name, text, sentence) => {
  expect(await load(name, text)).toEqual({ message: expect.stringMatching(sentence) });
});
