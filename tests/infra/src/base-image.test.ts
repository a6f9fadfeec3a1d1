import { globSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { pathOf, readFile } from "./repository.ts";

const dockerfile = readFile("infra/docker/Dockerfile");
const guide = readFile("docs/guides/deploy.md");

/** The block of a page in this language. */
const blockOf = (page: string, language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page)?.[1] ?? "";

const derived = blockOf(guide, "dockerfile");
const argumentsOf = (file: string, instruction: string): readonly string[] =>
  [...file.matchAll(new RegExp(`^${instruction} (.*)$`, "gm"))].map(([, text = ""]) => text);

test("the last stage is the base image, so that it is built when no target is named", () => {
  expect(argumentsOf(dockerfile, "FROM").at(-1)).toBe("base AS holdfast");
});

test("the image of the guide copies its modules to where AGENT_MODULES names them", () => {
  const [from = ""] = argumentsOf(derived, "FROM");
  expect(from).toMatch(/^holdfast:/);
  const targets = argumentsOf(derived, "COPY").map((text) => text.split(" ").at(-1) ?? "");
  expect(targets).toContain("agents");
  const [modules = ""] = argumentsOf(derived, "ENV").map((text) =>
    text.replace("AGENT_MODULES=", ""),
  );
  expect(modules.split(",").length).toBeGreaterThan(0);
  for (const path of modules.split(",")) expect(path).toMatch(/^\.\/agents\/[a-z]+\.js$/);
  expect(argumentsOf(dockerfile, "WORKDIR")).toContain("/app");
});

test("the base image runs what the guide's command names, as a user who may read what is copied", () => {
  const [entry = ""] = argumentsOf(dockerfile, "ENTRYPOINT");
  const [command = ""] = argumentsOf(derived, "CMD");
  expect(JSON.parse(entry)).toEqual([
    "node",
    "--enable-source-maps",
    "--max-old-space-size-percentage=33",
  ]);
  expect(JSON.parse(command)).toEqual(["services/agent/dist/main.js"]);
  const [user = ""] = argumentsOf(dockerfile, "USER");
  expect(derived).toContain(`--chown=${user} `);
});

test("the packages that modules of Agents import are where modules below /app find them", () => {
  const links = /ln --symbolic ([^\n]*) node_modules\/@holdfast\//.exec(dockerfile)?.[1] ?? "";
  expect(links.split(" ")).toEqual(["../../packages/agent", "../../packages/workflow"]);
});

test("every source that is compiled reaches the image, also those in a folder named test", () => {
  const lines = readFile(".dockerignore").split("\n");
  const sources = globSync("{packages,services}/*/src/**/test/*.ts", { cwd: pathOf(".") });
  const folders = new Set(sources.map((file) => file.replace(/\/[^/]+$/, "")));
  expect(folders.size).toBeGreaterThan(0);
  for (const folder of folders) {
    expect(lines.indexOf(`!${folder}`)).toBeGreaterThan(lines.indexOf("**/test"));
  }
});
