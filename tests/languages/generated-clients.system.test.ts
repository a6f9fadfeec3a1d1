import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { startSystem } from "@holdfast/processes";
import { migratedDatabase, testBroker } from "@holdfast/test-servers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { installPythonTool } from "./python-tool.ts";
import { welcome } from "./welcome.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../", import.meta.url));

/** The programs of a generator for Python; null: it is not here and cannot be had. */
const programs = await (process.env["DATAMODEL_CODEGEN_BIN"]
  ? Promise.resolve(process.env["DATAMODEL_CODEGEN_BIN"])
  : installPythonTool("datamodel-code-generator==0.89.0", "email-validator")
).catch((error: unknown) => {
  process.stderr.write(`No client is generated for Python: ${String(error).slice(0, 300)}\n`);
  return null;
});
const withPython = programs === null ? test.skip : test;

const resources = new AsyncDisposableStack();
let folder: string;
let url: string;
/** The document with the schemas of the stored workflows. */
let document: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "holdfast-generated-"));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const database = resources.use(await migratedDatabase());
  const broker = resources.use(await testBroker());
  const system = resources.use(
    await startSystem({
      stateStoreUrl: database.url,
      broker: { ...broker, moreAgents: ["badges", "doorbell"] },
      count: { agent: 0, partners: 0 },
      workflows: [welcome.definition],
      env: { submission: { UNKNOWN_AGENTS: "accept" } },
    }),
  );
  url = system.submissionUrl;
  document = await (await fetch(`${url}/v1/openapi.json?workflows=active`)).text();
  await writeFile(join(folder, "holdfast.json"), document);
});
afterAll(async () => {
  await resources.disposeAsync();
});

/** The task of the id that a client printed, as the service shows it. */
async function shown(printed: string): Promise<unknown> {
  const answer = await fetch(`${url}/v1/tasks/${printed.trim()}`);
  return answer.json();
}
const submitted = { workflow: welcome.name, input: { guest: "Ada", seconds: 1 } };

const program = `import type { components, paths } from "./holdfast.ts";

type Body = paths["/v1/tasks"]["post"]["requestBody"]["content"]["application/json"];
type Result = components["schemas"]["WelcomeResult"];
type Welcome = Extract<Body, { workflow: "welcome" | "welcome.v1" }>;

const body: Welcome = { workflow: "welcome", input: { guest: "Ada", seconds: 1 } };
// @ts-expect-error a guest is a text
export const wrong: Welcome = { workflow: "welcome", input: { guest: 1, seconds: 1 } };
// @ts-expect-error there is no such workflow
export const unknown: Body = { workflow: "goodbye", input: {} };
// @ts-expect-error a number of seconds is needed
export const short: Welcome = { workflow: "welcome", input: { guest: "Ada" } };
export const result: Result = { badge: "b", ring: "r" };
// @ts-expect-error a badge is a text
export const other: Result = { badge: 1, ring: "r" };

const answer = await fetch(process.argv[2] + "/v1/tasks", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
const { id } = (await answer.json()) as components["schemas"]["Accepted"];
console.log(id);
`;

test("a client that is generated in TypeScript knows the input and the result of a workflow, and submits a task", async () => {
  const generator = pathToFileURL(join(root, "tools/clients/src/client-types.ts")).href;
  const code = `const { clientTypes } = await import(${JSON.stringify(generator)});
    const { readFileSync, writeFileSync } = await import("node:fs");
    writeFileSync("holdfast.ts", await clientTypes(readFileSync("holdfast.json", "utf8")));`;
  await run(process.execPath, ["--input-type=module", "--eval", code], { cwd: folder });
  await writeFile(join(folder, "submit.ts"), program);
  await writeFile(join(folder, "package.json"), '{"type":"module"}');
  const options = {
    compilerOptions: {
      strict: true,
      noEmit: true,
      target: "es2024",
      module: "nodenext",
      allowImportingTsExtensions: true,
      lib: ["es2024", "dom"],
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
    },
    files: ["submit.ts"],
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(options));
  const compiled = await run(join(root, "node_modules/.bin/tsc"), ["-p", folder]).catch(
    (error: unknown) => error as { readonly stdout: string },
  );
  expect(compiled.stdout).toBe("");
  const { stdout } = await run(process.execPath, [join(folder, "submit.ts"), url]);
  expect(await shown(stdout)).toMatchObject(submitted);
});

const pythonProgram = `import sys, urllib.request
import holdfast
from pydantic import ValidationError

for wrong in ({"guest": 1, "seconds": 1}, {"guest": "Ada"}):
    try:
        holdfast.WelcomeInput.model_validate(wrong)
    except ValidationError:
        continue
    raise SystemExit(f"{wrong} was taken for an input")
holdfast.WelcomeResult.model_validate({"badge": "b", "ring": "r"})
task = holdfast.WelcomeSubmission(
    workflow="welcome", input=holdfast.WelcomeInput(guest="Ada", seconds=1)
)
request = urllib.request.Request(
    sys.argv[1] + "/v1/tasks",
    data=task.model_dump_json(exclude_none=True, by_alias=True).encode(),
    headers={"content-type": "application/json"},
)
with urllib.request.urlopen(request) as answer:
    print(holdfast.Accepted.model_validate_json(answer.read()).id)
`;

withPython(
  "a client that is generated in Python knows the input and the result of a workflow, and submits a task",
  async () => {
    const file = join(folder, "holdfast.py");
    await run(join(programs ?? "", "datamodel-codegen"), [
      "--input",
      join(folder, "holdfast.json"),
      "--input-file-type",
      "openapi",
      "--output",
      file,
      "--output-model-type",
      "pydantic_v2.BaseModel",
      "--disable-timestamp",
    ]);
    expect(await readFile(file, "utf8")).toContain("class WelcomeInput");
    await writeFile(join(folder, "submit.py"), pythonProgram);
    const python = join(programs ?? "", "python");
    await run(python, ["-m", "compileall", "-q", folder]);
    const { stdout } = await run(python, [join(folder, "submit.py"), url], { cwd: folder });
    expect(await shown(stdout)).toMatchObject(submitted);
  },
);

test("the document names each schema that it refers to", () => {
  const parsed = JSON.parse(document) as {
    readonly components: { readonly schemas: Readonly<Record<string, object>> };
  };
  const refs = [...document.matchAll(/"\$ref":"#\/components\/schemas\/([^/"]+)/g)];
  const missing = refs.filter(([, name = ""]) => parsed.components.schemas[name] === undefined);
  expect(refs.length).toBeGreaterThan(10);
  expect(missing).toEqual([]);
});
