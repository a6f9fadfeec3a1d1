import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import { parse, stringify } from "yaml";
import { promtool, whyNoPrometheus } from "./promtool.ts";

const why = await whyNoPrometheus();
if (why !== null) process.stderr.write(`The alert rules are not run: ${why}.\n`);
const describeRun = why === null ? describe : describe.skip;
const because = why === null ? "" : ` (skipped: ${why})`;

interface Rules {
  readonly groups: readonly {
    readonly name: string;
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}

interface Cases {
  readonly tests: readonly {
    readonly alert_rule_test: readonly {
      readonly alertname: string;
      readonly exp_alerts: readonly unknown[];
    }[];
  }[];
}

const pathOf = (name: string) =>
  fileURLToPath(new URL(`../../../infra/observability/${name}`, import.meta.url));
const rules = parse(readFileSync(pathOf("rules/holdfast.yml"), "utf8")) as Rules;
const casesText = readFileSync(pathOf("rule-tests/holdfast.yml"), "utf8");
const cases = parse(casesText) as Cases;
const alerts = rules.groups.flatMap((group) => group.rules.map(({ alert }) => alert)).toSorted();

/** Runs the cases on the rules with another expression in each. */
function runWith(expr: string): string {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-rules-"));
  try {
    const groups = rules.groups.map((group) => ({
      ...group,
      rules: group.rules.map((rule) => ({ ...rule, expr })),
    }));
    writeFileSync(join(folder, "rules.yml"), stringify({ groups }));
    writeFileSync(
      join(folder, "cases.yml"),
      casesText.replace("../rules/holdfast.yml", "rules.yml"),
    );
    return promtool("test", "rules", join(folder, "cases.yml")).text;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describeRun(`the alert rules${because}`, () => {
  test("Prometheus takes the rules and its configuration", () => {
    const checked = [
      promtool("check", "rules", "--lint=all", "--lint-fatal", pathOf("rules/holdfast.yml")),
      promtool("check", "config", "--syntax-only", pathOf("prometheus.yml")),
    ];
    expect(checked.filter(({ isWell }) => !isWell)).toEqual([]);
  });

  test("each alert fires in its situation, with its words, and not before or after", () => {
    const answer = promtool("test", "rules", pathOf("rule-tests/holdfast.yml"));
    expect(answer.isWell ? "" : answer.text).toBe("");
  });

  test("a rule that never fires, and one that always does, fail the cases", () => {
    const found = (text: string) => alerts.filter((alert) => text.includes(alert));
    expect(found(runWith("vector(1) == 0"))).toEqual(alerts);
    expect(found(runWith("vector(1)"))).toEqual(alerts);
  });
});

test("each alert has a case in which it fires, and the first case has none that does", () => {
  const [well, ...others] = cases.tests;
  const quiet = well?.alert_rule_test.filter((one) => one.exp_alerts.length === 0) ?? [];
  expect(quiet.map(({ alertname }) => alertname).toSorted()).toEqual(alerts);
  expect(well?.alert_rule_test).toHaveLength(alerts.length);
  const fired = others.flatMap((one) =>
    one.alert_rule_test.flatMap(({ alertname, exp_alerts: expected }) =>
      expected.length === 0 ? [] : [alertname],
    ),
  );
  expect([...new Set(fired)].toSorted()).toEqual(alerts);
});
