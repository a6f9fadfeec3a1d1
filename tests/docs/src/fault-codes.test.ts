import { expect, test } from "@jest/globals";
import { loadFaultCodes } from "./reference/fault-codes-page.ts";
import { productFiles, readFile } from "./repository.ts";

/** Literals of the same form that are no fault codes: queues, failpoints, events, names of checks. */
const others: readonly RegExp[] = [
  /^(scheduler|agent|submission|supervisor)\.(claim|publish|confirm|record|resend|receiv|work|repl|accept|found|recover|requeu)/,
  /^scheduler\.(canary|replies|unrecorded)$/,
  /^task\.(submissions|signals)$/,
  /^undo\.(retry|faults)$/,
  /^approval\.(wanted|reminded|decided)$/,
];
const checks = "packages/diagnosis/src/doctor/";
/** Codes of before, which a migration finds in stored rows. */
const converted: Readonly<Record<string, readonly string[]>> = {
  "packages/state-store/migrations/0017_public_words.sql": [
    "operator.undo",
    "task.task_finished",
    "task.task_paused",
    "task.unusable_task",
  ],
};

const literals = (text: string): readonly string[] =>
  [...text.matchAll(/["'`]([a-z]+\.[a-z_]+)["'`]/g)].map(([, code = ""]) => code);

const catalogue = await loadFaultCodes();
const areas = new Set(Object.keys(catalogue).map((code) => code.split(".")[0] ?? ""));
const sources = productFiles
  .filter((file) => !file.endsWith("/fault-codes.ts") && !file.startsWith(checks))
  .map((file) => ({ file, codes: literals(readFile(file)) }));

test("every fault code of Holdfast's areas in the source is in the catalogue", () => {
  const unknown = sources.flatMap(({ file, codes }) =>
    codes
      .filter((code) => areas.has(code.split(".")[0] ?? ""))
      .filter((code) => !(code in catalogue) && !others.some((other) => other.test(code)))
      .filter((code) => !converted[file]?.includes(code))
      .map((code) => `${file}: ${code}`),
  );
  expect(unknown).toEqual([]);
});

test("every fault code of the catalogue is used in the source", () => {
  const used = new Set(sources.flatMap(({ codes }) => codes));
  expect(Object.keys(catalogue).filter((code) => !used.has(code))).toEqual([]);
});
