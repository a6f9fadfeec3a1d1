import { count, type VerifiedStore, verifyStore } from "@holdfast/diagnosis";
import { parseConfig } from "@holdfast/runtime";
import { openInspector } from "@holdfast/state-store";
import type { Command } from "../command.ts";
import { StoreSettings, spansOf } from "../settings.ts";

/** Looks for what must never be. */
export const verify: Command = async (line, env) => {
  const { since } = spansOf(line);
  const { STATE_STORE_URL: url } = parseConfig(StoreSettings, env);
  await using store = openInspector({ url, applicationName: "holdfast verify" });
  const found = await verifyStore(store, { since });
  return {
    exitCode: found.violations.length === 0 ? 0 : 1,
    text: describe(found),
    json: found,
  };
};

function describe({ tasks, violations, more }: VerifiedStore): string {
  const looked = `${count(tasks, "task")} looked at`;
  if (violations.length === 0) return `${looked}: all that must hold does.`;
  const paragraphs = [...Map.groupBy(violations, ({ invariant }) => invariant)].map(
    ([invariant, witnesses]) =>
      [
        `✗ ${invariant}`,
        `  ${witnesses[0]?.explanation ?? ""}`,
        ...witnesses.map(({ taskId, witness }) => `    ${taskId}  ${witness ?? ""}`.trimEnd()),
      ].join("\n"),
  );
  const sum = `${looked}: ${count(violations.length, "violation")}${more ? ", and perhaps more" : ""}.`;
  return [...paragraphs, sum].join("\n\n");
}
