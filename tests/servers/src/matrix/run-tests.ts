import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { repository } from "../program-at.ts";
import type { Release } from "./release.ts";

/** What one run of tests ended with. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
  /** The titles of tests that failed. */
  readonly failures: readonly string[];
}

interface RunOptions {
  readonly rabbitmq: Release;
  readonly postgres: Release;
  readonly files: readonly string[];
  /** The file that gets all that the run prints. */
  readonly log: string;
}

/** Runs test files on a pair of servers that are started for them. */
export async function runTests({ rabbitmq, postgres, files, log }: RunOptions): Promise<Counts> {
  const begun = performance.now();
  const child = spawn(process.execPath, [join(repository, "tools/up.mjs"), "test", ...files], {
    cwd: repository,
    env: {
      ...process.env,
      ...rabbitmq.variables,
      ...postgres.variables,
      HOLDFAST_PROVIDER: "local",
      FORCE_COLOR: "0",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kept = createWriteStream(log);
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (part: Buffer) => {
      text += part.toString();
      kept.write(part);
    });
  }
  await new Promise((resolve) => child.once("close", resolve));
  kept.end();
  const { passed, failed } = countsIn(text);
  const seconds = Math.round((performance.now() - begun) / 1_000);
  const failures = [...text.matchAll(/^failed: \S+: (.*?): \w*Error/gm)].map(
    ([, title = ""]) => title,
  );
  return { passed, failed, seconds, failures };
}

/** The last line of a run has its totals. A run without one ended before its tests. */
export function countsIn(text: string): Pick<Counts, "passed" | "failed"> {
  const [, passed = "0", failed = "1"] =
    [...text.matchAll(/^(\d+) passed, (\d+) failed/gm)].at(-1) ?? [];
  return { passed: Number(passed), failed: Number(failed) };
}
