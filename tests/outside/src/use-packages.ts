import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./public-packages.ts";
import { runProgram } from "./run-program.ts";

/** What each package that people import exports, among others. */
const exportsOf: Readonly<Record<string, string>> = {
  "@holdfast/workflow": "defineWorkflow",
  "@holdfast/agent": "runAgent",
  "@holdfast/client": "holdfastClient",
  "@holdfast/testing": "testWorkflow",
  holdfast: "serviceMains",
};

/** The packages that people name in their package.json. */
export const importedPackages = Object.keys(exportsOf);

/**
 * Imports each package in an ES module and, by `import()`, in a CommonJS one, with each Node.
 * Throws what fails.
 */
export async function importPackages(folder: string, nodes: readonly string[]): Promise<void> {
  const checks = Object.entries(exportsOf).map(
    ([name, exported]) =>
      `if (typeof (await import("${name}")).${exported} !== "function") throw new Error("${name}");`,
  );
  const named = Object.entries(exportsOf).map(
    ([name, exported]) => `import { ${exported} } from "${name}"; ${exported}.call;`,
  );
  writeFileSync(join(folder, "use.mjs"), `${named.join("\n")}\n`);
  writeFileSync(join(folder, "use.cjs"), `(async () => {\n${checks.join("\n")}\n})();\n`);
  for (const node of nodes) {
    await runProgram(node, ["use.mjs"], { folder });
    await runProgram(node, ["use.cjs"], { folder });
  }
}

const typed = `
import { host, PermanentFault } from "@holdfast/agent";
import { testWorkflow } from "@holdfast/testing";
import { defineAgent, defineWorkflow, type Workflow } from "@holdfast/workflow";
import { serviceMains } from "holdfast";
import { z } from "zod";

const mail = defineAgent("mail", {
  send: { input: z.object({ to: z.string() }), output: z.object({ id: z.string() }) },
});
const Welcome = z.object({ to: z.string() });
export const welcome: Workflow<typeof Welcome> = defineWorkflow("welcome.v1", Welcome, (input, step) => {
  const sent = step("send", { call: mail.send({ to: input.to }), completeWithin: "10s" });
  // @ts-expect-error: the Agent returns no such thing.
  void sent.nothing;
  return { id: sent.id };
});
export const agent = host(mail, {
  async send({ to }) {
    if (to === "") throw new PermanentFault("mail.refused", "No address");
    return { id: to.toUpperCase() };
  },
});
export const main: string = serviceMains().scheduler;
export const test: typeof testWorkflow = testWorkflow;
`;

/**
 * Compiles a file that uses the packages, in strict mode, with the declarations of the packages
 * checked as well.
 */
export async function typeCheckPackages(folder: string): Promise<void> {
  writeFileSync(join(folder, "use.ts"), typed);
  const options = {
    target: "es2024",
    lib: ["es2024"],
    module: "nodenext",
    types: ["node"],
    strict: true,
    noEmit: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
  };
  const config = { compilerOptions: options, files: ["use.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  await runProgram(join(root, "node_modules/.bin/tsc"), ["--project", folder], { folder });
}
