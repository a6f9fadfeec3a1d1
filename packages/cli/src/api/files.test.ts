import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { runCommand } from "../../test/run-command.ts";
import { readProfiles } from "./profiles.ts";

let folder: string;
const before = globalThis.fetch;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast files "));
});
afterEach(() => {
  globalThis.fetch = before;
  rmSync(folder, { recursive: true });
});

/** The bytes of a text as programs write them. */
const written = {
  "a byte order mark": (text: string) => Buffer.from(`\ufeff${text}`),
  "lines of Windows": (text: string) => Buffer.from(text.replaceAll("\n", "\r\n")),
  "UTF-16": (text: string) => Buffer.from(`\ufeff${text}`, "utf16le"),
} as const;

const id = "01a1fd8d-d928-77c8-96cb-353aaba1757f";

/** Every file that the command reads: its text, and the line that reads it. */
const doors: Readonly<
  Record<string, readonly [text: string, line: (file: string) => readonly string[]]>
> = {
  "an input": [
    '{\n"to": "ann@example.com"\n}',
    (file) => ["tasks", "submit", "welcome", "--input", `@${file}`],
  ],
  "a token": ["secret\n", (file) => ["tasks", "get", id, "--token-file", file]],
  "a list of users": [
    "scheduler: scheduler\nmail: agent\n",
    (file) => ["topology", "print", "--users", file],
  ],
  "a list of ids": [`${id}\n`, (file) => ["lost", "--ids", file]],
  "a definition": [
    '{\n"format": 1, "name": "t.v1", "inputSchema": {}, "completeWithin": null, "output": null, "steps": []\n}',
    (file) => ["workflows", "apply", file],
  ],
};

async function run(line: readonly string[]) {
  const answer = { id, state: "processed", version: 1, steps: [], isNew: true, warnings: [] };
  globalThis.fetch = async () => new Response(JSON.stringify(answer));
  return runCommand(line, { HOLDFAST_URL: "http://holdfast.test" });
}

test.each(
  Object.entries(doors).flatMap(([what, door]) =>
    (["a byte order mark", "lines of Windows"] as const).map((how) => [what, how, door] as const),
  ),
)("%s with %s is read", async (_, how, [text, line]) => {
  const file = join(folder, "file.json");
  writeFileSync(file, written[how](text));
  expect(await run(line(file))).toMatchObject({ exitCode: 0, stderr: "" });
});

test.each(Object.entries(doors))(
  "%s in UTF-16 is refused with what to do",
  async (_, [text, line]) => {
    const file = join(folder, "file.json");
    writeFileSync(file, written["UTF-16"](text));
    const { exitCode, stderr } = await run(line(file));
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/file\.json.* is in UTF-16: save it as UTF-8/);
  },
);

test("an input that is no JSON is refused with its file and line", async () => {
  const file = join(folder, "in.json");
  writeFileSync(file, '{\n  "to": \n}\n');
  const { exitCode, stderr } = await run(["tasks", "submit", "welcome", "--input", `@${file}`]);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/in\.json:3: this is not JSON/);
});

test("profiles are read whatever the modes of Windows are, and with a byte order mark", () => {
  mkdirSync(join(folder, "holdfast"));
  const file = join(folder, "holdfast/profiles.json");
  const text = '\ufeff{"current": "a", "profiles": {"a": {"url": "http://holdfast.test"}}}';
  writeFileSync(file, text, { mode: 0o666 });
  const env = { HOLDFAST_CONFIG: file };
  expect(readProfiles(env, "win32").current).toBe("a");
  expect(() => readProfiles(env, "linux")).toThrow(
    /run chmod 600 .*name a file elsewhere with HOLDFAST_CONFIG/,
  );
});
