import { globSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { pathOf, readFile } from "./repository.ts";

const forms = globSync(".github/ISSUE_TEMPLATE/*.yml", { cwd: pathOf(".") })
  .filter((file) => !file.endsWith("/config.yml"))
  .toSorted();

interface Question {
  readonly type: string;
  readonly id?: string;
  readonly attributes: { readonly label?: string };
}

test("the forms for issues have a name, a description, and questions with ids of their own", () => {
  expect(forms).toHaveLength(2);
  for (const form of forms) {
    const { name, description, body } = parse(readFile(form));
    const questions = (body as readonly Question[]).filter(({ type }) => type !== "markdown");
    expect([name, description].every((text) => typeof text === "string")).toBe(true);
    expect(questions.every(({ id, attributes }) => id && attributes.label)).toBe(true);
    expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length);
  }
});

test("no package is taken on the day of its release, from less trust, or from elsewhere than the registry", () => {
  const settings = parse(readFile("pnpm-workspace.yaml")) as Readonly<Record<string, unknown>>;
  expect(settings).toMatchObject({
    minimumReleaseAge: 3 * 24 * 60,
    trustPolicy: "no-downgrade",
    blockExoticSubdeps: true,
  });
  expect(readFile("pnpm-lock.yaml")).not.toMatch(/^ +resolution: \{(?!integrity: )/m);
});

test("Renovate pins images and actions by digest, and waits as long as pnpm", () => {
  const renovate = JSON.parse(readFile(".github/renovate.json")) as Readonly<
    Record<string, unknown>
  >;
  expect(renovate["extends"]).toEqual(
    expect.arrayContaining(["docker:pinDigests", "helpers:pinGitHubActionDigests"]),
  );
  expect(renovate).toMatchObject({ minimumReleaseAge: "3 days", internalChecksFilter: "strict" });
  const kubernetes = renovate["kubernetes"] as { readonly managerFilePatterns: readonly string[] };
  const patterns = kubernetes.managerFilePatterns.map(
    (pattern) => new RegExp(pattern.slice(1, -1)),
  );
  const manifests = globSync("infra/kubernetes/**/*.yaml", { cwd: pathOf(".") });
  const naming = manifests.filter((file) => /^ +image: \S+:\S+$/m.test(readFile(file)));
  expect(naming.length).toBeGreaterThan(2);
  expect(naming.filter((file) => !patterns.some((pattern) => pattern.test(file)))).toEqual([]);
});

test("known faults of dependencies are looked up each day, outside of what has to pass without a network", () => {
  const { on, jobs, permissions } = parse(readFile(".github/workflows/audit.yml"));
  expect(on.schedule).toHaveLength(1);
  expect(permissions).toEqual({ contents: "read" });
  const commands = jobs.audit.steps.flatMap(({ run }: { readonly run?: string }) => run ?? []);
  expect(commands.join()).toMatch(/ audit --audit-level high$/);
  expect(readFile(".ci/run")).not.toContain("audit");
});

test("the workflow of the hosting platform runs .ci/run and nothing else, with the Node of .nvmrc", () => {
  const { jobs, permissions } = parse(readFile(".github/workflows/ci.yml"));
  const { steps } = jobs.all;
  const commands = steps.flatMap(({ run }: { readonly run?: string }) => run ?? []);
  expect(commands).toEqual(["bash .ci/run"]);
  expect(steps[1].with).toEqual({ "node-version-file": ".nvmrc" });
  expect(permissions).toEqual({ contents: "read" });
});
