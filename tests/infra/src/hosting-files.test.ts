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

test("the workflow of the hosting platform runs .ci/run and nothing else, with the Node of .nvmrc", () => {
  const { jobs, permissions } = parse(readFile(".github/workflows/ci.yml"));
  const { steps } = jobs.all;
  const commands = steps.flatMap(({ run }: { readonly run?: string }) => run ?? []);
  expect(commands).toEqual(["bash .ci/run"]);
  expect(steps[1].with).toEqual({ "node-version-file": ".nvmrc" });
  expect(permissions).toEqual({ contents: "read" });
});
