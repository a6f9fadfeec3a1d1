import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { readFile } from "./repository.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The packages of ours that a part's own code names, its tests left out. */
function importsOf(part: string): readonly string[] {
  const files = globSync(`${part}/src/**/*.ts`, { cwd: root }).filter(
    (file) => !file.endsWith(".test.ts"),
  );
  const found = files.flatMap((file) =>
    [...readFile(file).matchAll(/from "@holdfast\/([a-z-]+)"/g)].map(([, name = ""]) => name),
  );
  return [...new Set(found)].toSorted();
}

/** What knows the business, or how Agents do it. */
const business = ["agent", "orders", "workflow"];

test.each(["services/supervisor", "services/scheduler", "packages/state-store", "packages/domain"])(
  "%s knows no business: it names no workflow and no Agent",
  (part) => {
    expect(importsOf(part).filter((name) => business.includes(name))).toEqual([]);
  },
);

test("the Supervisor asks and watches: it neither reads requests nor writes replies", () => {
  const code = globSync("services/supervisor/src/**/*.ts", { cwd: root }).map(readFile).join("\n");
  expect(code).not.toMatch(/StepRequest|StepReply|agentQueue|child_process|process\.kill/);
});
