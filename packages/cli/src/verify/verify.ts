import { parseConfig } from "@holdfast/runtime";
import { openInspector, type Unusable } from "@holdfast/state-store";
import type { Command } from "../command.ts";
import { count } from "../print/count.ts";
import { StoreSettings, spansOf } from "../settings.ts";
import { explain } from "./explanations.ts";
import { findViolations, type Verification } from "./find-violations.ts";

/** Looks for what must never be. */
export const verify: Command = async (line, env) => {
  const { since } = spansOf(line);
  const { STATE_STORE_URL: url } = parseConfig(StoreSettings, env);
  await using store = openInspector({ url, applicationName: "holdfast verify" });
  const found = withUnusable(await findViolations(store, { since }), await store.findUnusable(100));
  const violations = found.violations.map((one) => ({
    ...one,
    explanation: explain(one.invariant),
  }));
  return {
    exitCode: violations.length === 0 ? 0 : 1,
    text: describe(found),
    json: { ...found, violations },
  };
};

const withUnusable = (found: Verification, { tasks }: Unusable): Verification => ({
  ...found,
  violations: [
    ...found.violations,
    ...tasks.map(({ taskId, problem }) => ({
      invariant: "an unfinished task can be decided about",
      taskId,
      witness: problem,
    })),
  ],
});

function describe({ tasks, violations, more }: Verification): string {
  const looked = `${count(tasks, "task")} looked at`;
  if (violations.length === 0) return `${looked}: all that must hold does.`;
  const paragraphs = [...Map.groupBy(violations, ({ invariant }) => invariant)].map(
    ([invariant, witnesses]) =>
      [
        `✗ ${invariant}`,
        `  ${explain(invariant)}`,
        ...witnesses.map(({ taskId, witness }) => `    ${taskId}  ${witness ?? ""}`.trimEnd()),
      ].join("\n"),
  );
  const sum = `${looked}: ${count(violations.length, "violation")}${more ? ", and perhaps more" : ""}.`;
  return [...paragraphs, sum].join("\n\n");
}
