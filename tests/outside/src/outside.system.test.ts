import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { checkTarball } from "./check-tarball.ts";
import { followPage } from "./follow-page.ts";
import { installPackages, type PackageManager } from "./install-packages.ts";
import { globalsMissingFrom, globalsUsedIn, nodePath } from "./node-versions.ts";
import { packAll, readFromTarball, type Tarball } from "./pack-all.ts";
import { runProduction } from "./run-production.ts";
import { runTravel } from "./run-travel.ts";
import { developWithoutNetwork, startWithoutNetwork, whyNotCut } from "./run-without-network.ts";
import { type Registry, serveTarballs } from "./serve-tarballs.ts";
import { useClientAlone } from "./use-client-alone.ts";
import { useCreated } from "./use-created.ts";
import { managers, testInMonorepo } from "./use-monorepo.ts";
import { importedPackages, importPackages, typeCheckPackages } from "./use-packages.ts";
import { whyNotRun } from "./why-not-run.ts";

// One file: compiling and packing write into the folders of the packages, so it is done once, by
// one worker.
const why = await whyNotRun();
const testTravel = why === null ? test : test.skip;
const because = why === null ? "" : ` (skipped: ${why})`;

const cut = await whyNotCut();
const testCut = cut === null ? test : test.skip;
const becauseCut = cut === null ? "" : ` (skipped: ${cut})`;

let folder: string;
let tarballs: readonly Tarball[];
let registry: Registry | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-outside-"));
  tarballs = await packAll(join(folder, "tarballs"));
  registry = await serveTarballs(tarballs);
});

afterAll(async () => {
  await registry?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

test("each package that is published is complete, and its exports and types are right", async () => {
  const faults: string[] = [];
  for (const tarball of tarballs) faults.push(...(await checkTarball(tarball)));
  expect(faults).toEqual([]);
});

test("the package of the command has every page that its index names in one file", async () => {
  const file = tarballs.find(({ manifest }) => manifest.name === "holdfast")?.file ?? "";
  const index = await readFromTarball(file, "llms.txt");
  const full = await readFromTarball(file, "llms-full.txt");
  const [named = ""] = index.split("## Optional");
  const pages = Array.from(named.matchAll(/\]\((docs\/[^)]+\.md)\)/g), ([, page]) => page);
  expect(pages.length).toBeGreaterThan(10);
  expect(pages.filter((page) => !full.includes(`<!-- ${page} -->`))).toEqual([]);
});

test("no package that is published uses a global that Node 22 lacks", async () => {
  const missing = await globalsMissingFrom(await nodePath("22"), await nodePath("24"));
  expect(missing).toContain("AsyncDisposableStack");
  const modules = tarballs.flatMap((one) =>
    globSync("dist/**/*.js", { cwd: one.folder }).map((file) => join(one.folder, file)),
  );
  expect(modules.length).toBeGreaterThan(tarballs.length / 2);
  const used = modules.map((file) => ({ file, uses: globalsUsedIn(file, missing) }));
  expect(used.filter(({ uses }) => uses.length > 0)).toEqual([]);
});

test.each<PackageManager>(["npm", "pnpm", "yarn"])(
  "the packages that %s installs can be imported on Node 22 and 24, from ES modules and CommonJS, with types",
  async (manager) => {
    const project = join(folder, manager);
    const packages = importedPackages;
    await installPackages(project, { registryUrl: urlOf(registry), manager, packages });
    await importPackages(project, [await nodePath("22"), await nodePath("24")]);
    await typeCheckPackages(project);
  },
);

test("the client alone brings no driver of Postgres, and its types need neither Node nor pg", async () => {
  expect(await useClientAlone(join(folder, "client"), urlOf(registry))).toEqual([]);
});

test("a project that pnpm create makes tests its case, prints the docs and serves tools", async () => {
  const options = { folder: join(folder, "created"), registryUrl: urlOf(registry) };
  const { tested, pages, tools, ignored } = await useCreated(options);
  expect(ignored).toEqual(["node_modules/", ".holdfast/", ".env"]);
  expect(tested).toContain("1 case, 1 passed, 0 failed");
  expect(pages).toContain("guides/workflows");
  expect(tools).toEqual(expect.arrayContaining(["get_task", "why", "read_doc"]));
});

test.each(Object.entries(managers))(
  "a project in a monorepo of %s, in a folder of any name, tests its case with modules named as its compiler has them",
  async (name, manager) => {
    const place = join(folder, `mönorepo of ${name}`);
    const options = { folder: place, registryUrl: urlOf(registry), manager };
    expect(await testInMonorepo(options)).toContain("1 case, 1 passed, 0 failed");
  },
);

testCut(
  `a project is installed from npm's cache and runs while the network is cut${becauseCut}`,
  async () => {
    const options = { folder: join(folder, "cut off"), registryUrl: urlOf(registry) };
    expect(await developWithoutNetwork(options)).toBe("processed");
  },
);

testCut(`npm start of what was installed runs while the network is cut${becauseCut}`, async () => {
  await startWithoutNetwork({ folder: join(folder, "cut off demo") });
});

test("a package with an install script, or for another Node, is refused", async () => {
  const [tarball] = tarballs;
  if (tarball === undefined) throw new Error("Nothing was packed");
  const { packed } = tarball;
  const spoilt = { ...packed, scripts: { postinstall: "echo" }, engines: {} };
  const faults = await checkTarball({ ...tarball, packed: spoilt });
  expect(faults).toEqual([
    `${packed.name}: engines.node is not >=22`,
    `${packed.name}: has the install script postinstall`,
  ]);
});

test("the page about the first workflow works word for word outside of the repository, and Ctrl-C leaves no process", async () => {
  const options = { folder: join(folder, "page"), registryUrl: urlOf(registry) };
  const { processesLeft, ...times } = await followPage(options);
  expect(processesLeft).toBe(0);
  for (const ms of Object.values(times)) expect(ms).toBeGreaterThan(0);
});

test("the packed packages are deployed as the page about systemd says, in a folder of any name, with a login and a broker user for each service, by a user who owns nothing", async () => {
  const options = { folder: join(folder, "my shöp (1)"), registryUrl: urlOf(registry) };
  const { refused, lost, doctor, ...found } = await runProduction(options);
  expect(doctor).toContain("No problems found.");
  expect(found).toEqual({
    roles: 12,
    state: "processed",
    codes: { doctor: 0, verify: 0, topology: 0, lost: 1 },
    ended: {
      submission: 0,
      operations: 0,
      scheduler: 0,
      supervisor: 0,
      console: 0,
      "agent-mail": 0,
    },
    hasDev: false,
    processesLeft: 0,
  });
  expect(lost).toMatch(
    /^✗ 019aca0b-\S+ lost {2}submitted at \S+Z {2}second\n2 asked for: 1 processed, 1 lost\.$/m,
  );
  expect(refused).toEqual({ code: 78, output: expect.stringContaining("BROKER_URL") });
});

testTravel(
  `trips with Agents in TypeScript, Python and bash end right, from the packed packages, and the Agent in Python conforms as Node 22 sees it${because}`,
  async () => {
    const options = { folder: join(folder, "travel"), registryUrl: urlOf(registry), count: 20 };
    const figures = await runTravel(options);
    expect(figures).toEqual({
      travels: 22,
      lost: 0,
      doubled: 0,
      conformance: 12,
      processesLeft: 0,
    });
  },
);

function urlOf(started: Registry | undefined): string {
  if (started === undefined) throw new Error("The registry was not started");
  return started.url;
}
