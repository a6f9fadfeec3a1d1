import { count, type Examination, examine, type Finding } from "@holdfast/diagnosis";
import { parseConfig } from "@holdfast/runtime";
import type { Command } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { SystemSettings, spansOf } from "../settings.ts";

/** Looks at how everything around Holdfast is set up. */
export const doctor: Command = async (line, env) => {
  const settings = parseConfig(SystemSettings, env);
  const { consumerTimeout, openFor } = spansOf(line);
  const examination = await examine({
    name: "holdfast doctor",
    stateStoreUrl: settings.STATE_STORE_URL,
    brokerUrl: settings.BROKER_URL,
    managementUrl: settings.BROKER_MANAGEMENT_URL ?? null,
    now: () => Date.now(),
    openFor: openFor ?? 60_000,
    consumerTimeout,
  });
  return {
    exitCode: exitCodeOf(examination),
    text: describe(examination.findings),
    json: examination,
  };
};

function exitCodeOf({ complete, findings }: Examination): number {
  if (!complete) return exitCodes.notReachable;
  return findings.some(({ state }) => state === "wrong") ? exitCodes.failed : exitCodes.ok;
}

const signs = { fine: "✓", wrong: "✗", unseen: "?" } as const;

function describe(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ code }) => code.length));
  const lines = findings.map(({ state, code, text, advice }) =>
    [
      `${signs[state]} ${code.padEnd(width)}  ${text}`,
      ...(advice === null ? [] : [`  ${" ".repeat(width)}  → ${advice}`]),
    ].join("\n"),
  );
  const wrongs = findings.filter(({ state }) => state === "wrong").length;
  return [
    ...lines,
    "",
    wrongs === 0 ? "No problems found." : `${count(wrongs, "problem")} found.`,
  ].join("\n");
}
