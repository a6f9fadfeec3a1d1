import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { createProject, installer } from "./create-project.ts";

const template = fileURLToPath(new URL("../template/", import.meta.url));
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-create-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function create(...args: readonly string[]) {
  const complaints: string[] = [];
  const npm = { userAgent: "npm/11", execPath: null, platform: process.platform };
  const surroundings = { folder, ...npm, say: () => {} };
  const complain = (line: string) => void complaints.push(line);
  const code = await createProject(args, { ...surroundings, complain });
  return { code, complaint: complaints[0]?.split("\n")[0] };
}

test.each<[string, readonly string[], string]>([
  ["no folder", [], "Say which folder."],
  ["two folders", ["a", "b"], "Say one folder, not 2."],
  ["an option that does not exist", ["shop", "--force"], "There is no option --force."],
  ["a folder with files", ["full"], "The folder full is not empty: name one that does not exist."],
])(
  "npm create holdfast refuses %s in one sentence and writes nothing",
  async (_, args, sentence) => {
    mkdirSync(join(folder, "full"));
    writeFileSync(join(folder, "full/kept"), "mine");
    expect(await create(...args)).toEqual({ code: 2, complaint: sentence });
    expect(readdirSync(folder)).toEqual(["full"]);
    expect(readdirSync(join(folder, "full"))).toEqual(["kept"]);
  },
);

test.each([
  [
    "/usr/lib/npm/bin/npm-cli.js",
    "linux",
    process.execPath,
    ["/usr/lib/npm/bin/npm-cli.js"],
    false,
  ],
  ["C:\\npm\\npm-cli.js", "win32", process.execPath, ["C:\\npm\\npm-cli.js"], false],
  ["/opt/bun/bin/bun", "linux", "/opt/bun/bin/bun", [], false],
  [null, "linux", "npm", [], false],
  [null, "win32", "npm", [], true],
] as const)(
  "the packages are installed by the package manager's own file where it is known: %s on %s",
  (execPath, platform, command, args, needsShell) => {
    expect(installer("npm", { execPath, platform })).toEqual({ command, args, needsShell });
  },
);

test("a package manager that cannot be started is named, with the reason", async () => {
  const complaints: string[] = [];
  const code = await createProject(["my shöp (1)"], {
    folder,
    userAgent: "npm/11",
    execPath: join(folder, "gone"),
    platform: "linux",
    say: () => {},
    complain: (line) => void complaints.push(line),
  });
  expect({ code, complaints }).toEqual({
    code: 1,
    complaints: [
      expect.stringMatching(
        /^The packages could not be installed: \S+gone cannot be started \(.*ENOENT\)\. Run npm/,
      ),
    ],
  });
  const { name } = JSON.parse(readFileSync(join(folder, "my shöp (1)/package.json"), "utf8")) as {
    readonly name: string;
  };
  expect(name).toMatch(/^[a-z0-9][a-z0-9._-]*$/);
});

test("the template is one workflow and one Agent of at most 15 lines, one case, one page and the settings of its tools", () => {
  const files = readdirSync(template, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(template.length));
  expect(files.toSorted()).toEqual([
    "AGENTS.md",
    "agents/mail.ts",
    "cases/declined.json",
    "gitignore",
    "tsconfig.json",
    "workflows/welcome.ts",
  ]);
  for (const file of ["agents/mail.ts", "workflows/welcome.ts"]) {
    const lines = readFileSync(join(template, file), "utf8").trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(15);
  }
});
