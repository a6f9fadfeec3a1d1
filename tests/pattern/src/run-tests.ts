import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** A test as docs/evidence/pattern.md names it: with the name of its group and with holes. */
export interface NamedTest {
  readonly file: string;
  readonly title: string;
}

/** `failed`: at least one test of this title did; `absent`: there is none. */
export interface TestOutcome {
  readonly kind: "passed" | "failed" | "absent";
  /** Milliseconds of the longest test of this title. */
  readonly took: number;
}

interface Options {
  /** A folder with the repository's layout. */
  readonly root: string;
  readonly log: string;
  /**
   * Milliseconds after which a test counts as failed; Jest's own configuration says it where this
   * is null.
   */
  readonly timeout: number | null;
}

/** What we read of the file that Jest's `--json` writes. */
interface JestReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly duration?: number | null;
    }[];
  }[];
}

/**
 * Runs tests of several files in one run of Jest: starting it takes longer than most of them.
 * Resolves to the outcome of each, in their order.
 */
export async function runTests(
  tests: readonly NamedTest[],
  { root, log, timeout }: Options,
): Promise<readonly TestOutcome[]> {
  const reportFile = `${log}.json`;
  rmSync(reportFile, { force: true });
  const files = [...new Set(tests.map(({ file }) => file))];
  const child = spawn(
    process.execPath,
    [
      "--conditions=@holdfast/source",
      "--experimental-vm-modules",
      "--no-warnings",
      join(root, "node_modules/jest/bin/jest.js"),
      "--rootDir",
      root,
      "--testNamePattern",
      tests.map(({ title }) => `(?:${patternOf(title)})`).join("|"),
      ...(timeout === null ? [] : ["--testTimeout", String(Math.ceil(timeout))]),
      "--json",
      "--outputFile",
      reportFile,
      "--forceExit",
      "--runTestsByPath",
      ...files.map((file) => join(root, file)),
    ],
    {
      cwd: root,
      // A file that is named is in one project, whatever the scope of the run around this one is.
      env: { ...process.env, HOLDFAST_SCOPE: "usual", HOLDFAST_NAMED: "yes" },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const written = createWriteStream(log);
  for (const stream of [child.stdout, child.stderr]) stream.pipe(written, { end: false });
  await once(child, "close");
  written.end();
  const report: JestReport = existsSync(reportFile)
    ? JSON.parse(readFileSync(reportFile, "utf8"))
    : { testResults: [] };
  return tests.map((test) => outcomeOf(report, { root, test }));
}

function outcomeOf(
  { testResults }: JestReport,
  { root, test }: { readonly root: string; readonly test: NamedTest },
): TestOutcome {
  const pattern = new RegExp(patternOf(test.title));
  const file = testResults.find(({ name }) => name === join(root, test.file));
  const ran = (file?.assertionResults ?? []).filter(
    ({ fullName, status }) => pattern.test(fullName) && ["passed", "failed"].includes(status),
  );
  const took = Math.max(0, ...ran.map(({ duration }) => duration ?? 0));
  if (ran.some(({ status }) => status === "failed")) return { kind: "failed", took };
  if (ran.length > 0) return { kind: "passed", took };
  // A file that cannot be loaded any more has no tests, and fails.
  return { kind: file?.status === "failed" ? "failed" : "absent", took };
}

/** The name of a group comes before that of its test; a hole is filled with anything. */
export const patternOf = (title: string): string =>
  title
    .split(" › ")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/%[a-z]|\\\$\w+/g, ".*"))
    .join(" ");
