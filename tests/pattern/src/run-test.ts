import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";

interface Options {
  /** A folder with the repository's layout. */
  readonly root: string;
  readonly file: string;
  /** As in docs/evidence/pattern.md: with the name of its group and with holes. */
  readonly title: string;
  readonly log: string;
}

/** `failed`: at least one test of this title did; `absent`: there is none. */
export type TestOutcome = "passed" | "failed" | "absent";

/** Jest's exit code says only that something is wrong. */
const ran = /^Tests: +(?:(\d+) failed, )?(?:\d+ skipped, )?(?:(\d+) passed, )?/m;

/** Runs one test of one file, which may be several where its title has holes. */
export async function runTest({ root, file, title, log }: Options): Promise<TestOutcome> {
  const child = spawn(
    process.execPath,
    [
      "--conditions=@holdfast/source",
      "--experimental-vm-modules",
      "--no-warnings",
      join(root, "node_modules/jest/bin/jest.js"),
      "--rootDir",
      root,
      "--selectProjects",
      projectOf(file),
      "--runTestsByPath",
      join(root, file),
      "--testNamePattern",
      patternOf(title),
      "--forceExit",
    ],
    { cwd: root, stdio: ["ignore", "pipe", "pipe"] },
  );
  const written = createWriteStream(log);
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (piece: Buffer) => {
      text += piece.toString();
      written.write(piece);
    });
  }
  const [code] = (await once(child, "close")) as [number | null];
  written.end();
  const [, failed, passed] = ran.exec(text) ?? [];
  if (failed !== undefined) return "failed";
  if (passed !== undefined && code === 0) return "passed";
  // A file that cannot be loaded any more has no tests, and fails.
  return /Test Suites: \d+ failed/.test(text) ? "failed" : "absent";
}

function projectOf(file: string): string {
  if (file.endsWith(".integration.test.ts")) return "integration";
  return file.endsWith(".system.test.ts") ? "system" : "unit";
}

/** The name of a group comes before that of its test; a hole is filled with anything. */
export const patternOf = (title: string): string =>
  title
    .split(" › ")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/%[a-z]|\\\$\w+/g, ".*"))
    .join(" ");
