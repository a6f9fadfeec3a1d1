import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { outsideEnvironment } from "./install-packages.ts";
import { openTerminal } from "./open-terminal.ts";
import { root } from "./public-packages.ts";
import { type Ran, runProgram } from "./run-program.ts";

/** The example of the travels, as it runs outside of this repository. */
export interface Travel extends AsyncDisposable {
  readonly folder: string;
  /** Runs the project's `holdfast` there, with the Node of `npx` unless another one is given. */
  holdfast(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Submits so many trips and resolves to how each ended. */
  submitTrips(count: number): Promise<readonly Trip[]>;
  /** The process of the Agent in Python. */
  pythonPid(): Promise<number>;
}

interface RunOptions {
  /** The path of another Node. */
  readonly node?: string;
  /** The principal whose key is shown; the token of operators unless said otherwise. */
  readonly as?: Principal;
}

/** Those of whom the page makes keys. */
export type Principal = "office" | "grace" | "alan";

/** How a trip ended. */
export interface Trip {
  readonly id: string;
  readonly state: string;
}

interface Options {
  /** A folder that is not there yet. */
  readonly folder: string;
  readonly registryUrl: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Copies the example, installs it from the tarballs, and starts what its page says. */
export async function startTravel({ folder, registryUrl, env = {} }: Options): Promise<Travel> {
  cpSync(join(root, "examples/travel"), folder, { recursive: true });
  // Debian's own Python finds pika.
  const outside = { ...outsideEnvironment(registryUrl), ...env, PYTHON: "/usr/bin/python3" };
  await runProgram("npm", ["install", "--loglevel=error"], { folder, env: outside });
  await checkTypes(folder);
  const keys = await writeAccess(folder, outside);
  const stack = new AsyncDisposableStack();
  try {
    const devEnv = { ...outside, ACCESS_FILE: "access.yaml" };
    const dev = stack.use(openTerminal("npm run dev", { folder, env: devEnv }));
    await dev.seen(/^keys:/m);
    const [, api = ""] = /API +(\S+)/.exec(dev.text) ?? [];
    const { stateStoreUrl, brokerUrl, operatorToken } = placesOf(folder);
    const places = {
      ...outside,
      HOLDFAST_URL: api,
      HOLDFAST_TOKEN: operatorToken,
      STATE_STORE_URL: stateStoreUrl,
      BROKER_URL: brokerUrl,
    };
    const others = spawn("bash", ["agents/start-others.sh"], {
      cwd: folder,
      env: { ...process.env, ...outside },
      stdio: "ignore",
    });
    stack.defer(() => stopped(others));
    return {
      folder,
      holdfast(args, { node, as } = {}) {
        const token = as === undefined ? {} : { HOLDFAST_TOKEN: keys[as] };
        const options = { folder, env: { ...places, ...token }, mayFail: true };
        return node === undefined
          ? runProgram("npx", ["holdfast", ...args], options)
          : runProgram(node, ["node_modules/.bin/holdfast", ...args], options);
      },
      async submitTrips(count) {
        const ran = await runProgram("node", ["submit-trips.ts", String(count)], {
          folder,
          env: places,
        });
        const lines = ran.stdout.trimEnd().split("\n");
        return lines.map((line) => JSON.parse(line) as Trip);
      },
      async pythonPid() {
        const args = ["-P", String(others.pid), "-f", "hotels.py"];
        return Number((await runProgram("pgrep", args)).stdout);
      },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** Makes keys as the page says, and writes the file that says whose they are. */
async function writeAccess(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Readonly<Record<Principal, string>>> {
  const make = async () => {
    const { stdout } = await runProgram("npx", ["holdfast", "keys", "make"], { folder, env });
    const [key = "", digest = ""] = stdout.trim().split("\n");
    return { key, digest };
  };
  const [office, grace, alan] = [await make(), await make(), await make()];
  const approves = ["travel-desk"];
  const principals = [
    { id: "office@example.com", keys: [office.digest] },
    { id: "grace@example.com", name: "Grace Hopper", keys: [grace.digest], approves },
    { id: "alan@example.com", name: "Alan Turing", keys: [alan.digest], approves },
  ];
  // JSON is YAML.
  writeFileSync(join(folder, "access.yaml"), JSON.stringify({ principals }));
  return { office: office.key, grace: grace.key, alan: alan.key };
}

/** Compiles the example in strict mode, with the declarations of the packages that it installed. */
async function checkTypes(folder: string): Promise<void> {
  const options = {
    target: "es2024",
    lib: ["es2024", "dom"],
    module: "nodenext",
    typeRoots: [join(root, "node_modules/@types")],
    types: ["node"],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
  };
  const config = { compilerOptions: options, include: ["**/*.ts"], exclude: ["node_modules"] };
  const file = join(folder, "tsconfig.check.json");
  writeFileSync(file, JSON.stringify(config));
  await runProgram(join(root, "node_modules/.bin/tsc"), ["--project", file], { folder });
}

const placesOf = (folder: string): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(join(folder, ".holdfast/dev/places.json"), "utf8"));

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}
