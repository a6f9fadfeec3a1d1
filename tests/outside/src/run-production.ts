import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { freePort } from "@holdfast/local-stack";
import { outsideEnvironment } from "./install-packages.ts";
import { processesThatStay, runVariable } from "./processes-left.ts";
import { type Ran, runProgram } from "./run-program.ts";
import { startOwnServers } from "./start-own-servers.ts";

/** What came of a deployment without containers. */
export interface Production {
  /** Roles that were made in Postgres. */
  readonly roles: number;
  /** How the task ended. */
  readonly state: string;
  /** Exit codes of the commands that look. */
  readonly codes: Readonly<Record<string, number | null>>;
  readonly doctor: string;
  /** What is said of two ids, of which the store knows one. */
  readonly lost: string;
  /** How each service ended on SIGTERM. */
  readonly ended: Readonly<Record<string, number | null>>;
  /** Whether what only development needs was installed. */
  readonly hasDev: boolean;
  /** What a service said that was started with a setting that is wrong, and how it ended. */
  readonly refused: { readonly code: number | null; readonly output: string };
  readonly processesLeft: number;
}

interface Options {
  /** A folder that is not there yet. Its name may be any that people give. */
  readonly folder: string;
  readonly registryUrl: string;
}

/** The instances of the unit `holdfast@`, and of `holdfast-agent@`. */
const services = ["submission", "operations", "scheduler", "supervisor", "console"];
const agent = "agent-mail";
/** The user that the services run as: it owns no file, as one that systemd makes for a unit. */
const ownsNothing = 65_534;

/**
 * Does what the page about systemd says, with the files that the package brings, and with systemd's
 * part done by hand.
 */
export async function runProduction({ folder, registryUrl }: Options): Promise<Production> {
  const run = randomUUID();
  const stack = new AsyncDisposableStack();
  try {
    const release = await installRelease({ folder, registryUrl });
    const servers = stack.use(await startOwnServers(join(folder, "servers")));
    const settings = await settingsOf(release, servers);
    const holdfast = runnerOf(release, { ...outsideEnvironment(registryUrl), [runVariable]: run });
    const made = await prepare(holdfast, { release, servers, settings });
    const started = new Map<string, Started>();
    stack.defer(async () => void (await stopAll(started)));
    for (const name of [...services, agent]) {
      started.set(
        name,
        await startService(name, { release, env: { ...settings.of(name), [runVariable]: run } }),
      );
    }
    const broker = { BROKER_MANAGEMENT_URL: servers.managementUrl };
    const looked = await use(holdfast, { release, settings, broker });
    const refused = await refuse(holdfast, settings);
    const ended = await stopAll(started);
    await stack.disposeAsync();
    const left = await processesThatStay(run);
    const hasDev = existsSync(join(release, "node_modules/@holdfast/dev"));
    return { ...made, ...looked, refused, ended, hasDev, processesLeft: left.length };
  } finally {
    await stack.disposeAsync();
  }
}

/**
 * Makes a project as development does, and installs what production needs of it in a folder of its
 * own.
 */
async function installRelease({ folder, registryUrl }: Options): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const env = outsideEnvironment(registryUrl);
  const npm = ["create", "holdfast@latest", "--prefix", folder, "shop"];
  await runProgram("npm", npm, { folder, env });
  const release = join(folder, "shop");
  const only = ["ci", "--omit=dev", "--omit=optional", "--loglevel=error"];
  await runProgram("npm", only, { folder: release, env });
  // The services run as a user who owns nothing, with a Node that they can reach.
  copyFileSync(process.execPath, join(folder, "node"));
  for (const one of [dirname(folder), folder, release]) chmodSync(one, 0o755);
  return release;
}

type Env = Readonly<Record<string, string | undefined>>;
type Holdfast = (args: readonly string[], env: Env) => Promise<Ran>;

const runnerOf =
  (release: string, usual: Env): Holdfast =>
  (args, env) =>
    runProgram("npx", ["holdfast", ...args], {
      folder: release,
      env: { ...usual, ...env },
      mayFail: true,
    });

interface Settings {
  /** Passwords by the variables of their names. */
  readonly passwords: Readonly<Record<string, string>>;
  /** What systemd gives an instance: the common file, and its own. */
  readonly of: (name: string) => Readonly<Record<string, string>>;
}

type Servers = Awaited<ReturnType<typeof startOwnServers>>;

const secret = (): string => randomBytes(18).toString("hex");
const at = (url: string): string => new URL(url).host;
const apiAt = (port: string | undefined): string => `http://127.0.0.1:${port}`;

/** Reads the environment files of the package, with these servers, passwords and ports of ours. */
async function settingsOf(release: string, servers: Servers): Promise<Settings> {
  const setup = join(release, "node_modules/holdfast/setup");
  const names = [
    "OWNER",
    "SUBMISSION",
    "OPERATIONS",
    "SCHEDULER",
    "SUPERVISOR",
    "OBSERVER",
    "SHOP",
    "MAIL",
  ];
  const passwords = Object.fromEntries(names.map((name) => [`${name}_PASSWORD`, secret()]));
  const ports = new Map<string, string>();
  for (const port of [
    "3000",
    "3001",
    "3100",
    ...Array.from({ length: 6 }, (_, index) => String(9464 + index)),
  ]) {
    ports.set(port, String(await freePort(20_000 + Math.floor(Math.random() * 20_000))));
  }
  const token = secret();
  const read = (name: string) =>
    readFileSync(join(setup, `${name}.env`), "utf8")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => {
        const [variable = "", ...rest] = line.split("=");
        let value = rest.join("=");
        if (variable === "OPERATOR_TOKEN") value = token;
        for (const [word, password] of Object.entries(passwords))
          value = value.replace(word, password);
        value = value
          .replace("db.example.com:5432", at(servers.stateStoreUrl))
          .replace("mq.example.com:5672", at(servers.brokerUrl))
          .replace("mq.example.com:15672", at(servers.managementUrl));
        for (const [port, free] of ports) {
          if (value === port || value.endsWith(`127.0.0.1:${port}`))
            value = value.replace(port, free);
        }
        return [variable, value] as const;
      });
  return { passwords, of: (name) => Object.fromEntries([...read("common"), ...read(name)]) };
}

interface Prepared {
  readonly release: string;
  readonly servers: Servers;
  readonly settings: Settings;
}

/** Logins, migration and topology, in this order. */
async function prepare(holdfast: Holdfast, { release, servers, settings }: Prepared) {
  const setup = join(release, "node_modules/holdfast/setup");
  const admin = { ...settings.passwords, STATE_STORE_URL: servers.stateStoreUrl };
  const logins = await succeed(holdfast(["logins", "--json"], admin));
  const { created } = JSON.parse(logins.stdout) as { readonly created: readonly string[] };
  const { STATE_STORE_URL } = readEnv(settings, "migrate");
  await succeed(holdfast(["migrate"], { STATE_STORE_URL }));
  const users = join(release, "users.yaml");
  writeFileSync(users, readFileSync(join(setup, "users.yaml")));
  const broker = { ...settings.passwords, BROKER_MANAGEMENT_URL: servers.managementUrl };
  const how = ["--users", users, "--vhost", "holdfast", "--passwords", "env"];
  await succeed(holdfast(["topology", "apply", ...how], broker));
  return { roles: created.length };
}

const readEnv = (settings: Settings, name: string) => settings.of(name);

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<readonly unknown[]>;
  readonly log: readonly string[];
}

/**
 * Starts an instance of a unit, as its file has it, and waits until the service says that it is
 * ready.
 */
async function startService(
  name: string,
  { release, env }: { readonly release: string; readonly env: Env },
): Promise<Started> {
  const service = name.startsWith("agent-") ? "agent" : name;
  const isRoot = process.getuid?.() === 0;
  const child = spawn(
    join(release, "../node"),
    ["node_modules/holdfast/dist/main.js", "start", service],
    {
      cwd: release,
      // Neither HOME nor a place for temporary files.
      env: { PATH: process.env["PATH"], ...env },
      stdio: ["ignore", "pipe", "pipe"],
      ...(isRoot ? { uid: ownsNothing, gid: ownsNothing } : {}),
    },
  );
  const ended = once(child, "close");
  const log: string[] = [];
  const ready = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream as NodeJS.ReadableStream }).on("line", (line) => {
      log.push(line);
      if (/"msg":"ready"/.test(line)) ready.resolve();
    });
  }
  const fail = (why: unknown) =>
    ready.reject(new Error(`${name} ended: ${String(why)}\n${log.join("\n")}`));
  ended.then(([code]) => fail(code), fail);
  await ready.promise;
  return { child, ended, log };
}

/** Asks each to stop, and resolves to their exit codes. */
async function stopAll(
  started: Map<string, Started>,
): Promise<Readonly<Record<string, number | null>>> {
  const codes: Record<string, number | null> = {};
  for (const [name, { child, ended }] of started) {
    child.kill("SIGTERM");
    const [code] = (await ended) as readonly (number | null)[];
    codes[name] = code ?? null;
  }
  started.clear();
  return codes;
}

/** Submits a task and looks at everything, as an operator does. */
async function use(
  holdfast: Holdfast,
  {
    release,
    settings,
    broker,
  }: { readonly release: string; readonly settings: Settings; readonly broker: Env },
) {
  const submission = settings.of("submission");
  const operations = settings.of("operations");
  const customer = { HOLDFAST_URL: apiAt(submission["HTTP_PORT"]) };
  const operator = {
    HOLDFAST_URL: apiAt(operations["HTTP_PORT"]),
    HOLDFAST_TOKEN: operations["OPERATOR_TOKEN"],
  };
  const task = [
    "tasks",
    "submit",
    "welcome",
    "--input",
    '{"to":"ann@example.com"}',
    "--wait",
    "60s",
    "--json",
  ];
  const { stdout } = await succeed(holdfast(task, customer));
  const { id = "", state = "" } = JSON.parse(stdout) as Readonly<Record<string, string>>;
  const codes: Record<string, number | null> = {};
  const look = async (name: string, args: readonly string[], env: Env): Promise<string> => {
    const { code, output } = await holdfast(args, env);
    codes[name] = code;
    return output;
  };
  const doctor = await look("doctor", ["doctor"], operator);
  await look("verify", ["verify"], operator);
  const topology = ["topology", "check", "--users", "users.yaml", "--vhost", "holdfast"];
  await look("topology", topology, broker);
  writeFileSync(
    join(release, "ids.csv"),
    `${id},first\n019aca0b-327b-7000-8000-00000000000f,second\n`,
  );
  const lost = await look("lost", ["lost", "--ids", "ids.csv"], operator);
  return { state, codes, lost, doctor };
}

/** A setting that is wrong: systemd must not start it again. */
async function refuse(holdfast: Holdfast, settings: Settings) {
  const env = { ...settings.of("scheduler"), BROKER_URL: "nonsense" };
  const { code, output } = await holdfast(["start", "scheduler"], env);
  return { code, output };
}

async function succeed(running: Promise<Ran>): Promise<Ran> {
  const ran = await running;
  if (ran.code !== 0) throw new Error(ran.output);
  return ran;
}
