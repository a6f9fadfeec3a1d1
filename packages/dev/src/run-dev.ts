import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createDatabase, DataFolderFault, startLocalStack } from "@holdfast/local-stack";
import { disposableStack } from "@holdfast/runtime";
import { migrate, openStateStore } from "@holdfast/state-store";
import { openAgentProcesses } from "./agents/agent-processes.ts";
import { banner } from "./banner.ts";
import { openActions } from "./keys/actions.ts";
import { readKeys } from "./keys/read-keys.ts";
import { type DevOptions, devUsage, readDevOptions } from "./options.ts";
import { keepInStep } from "./project/keep-in-step.ts";
import { openWorkflowLoader } from "./project/load-workflows.ts";
import { findProjectFiles } from "./project/project-files.ts";
import { openWorkflowSync } from "./project/sync-project.ts";
import { watchProject } from "./project/watch-project.ts";
import { prepareServices } from "./services/start-services.ts";

interface DevContext {
  /** The command that runs `holdfast`. */
  readonly command: readonly string[];
}

/** Of every system on this machine alone: it is no secret. */
const operatorToken = "local-operator";
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Runs a project until Ctrl-C. Resolves to the exit code. */
export async function runDev(args: readonly string[], context: DevContext): Promise<number> {
  let options: DevOptions;
  try {
    options = readDevOptions(args);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${devUsage}\n`);
    return 2;
  }
  if (options.help) {
    say(devUsage);
    return 0;
  }
  const folder = process.cwd();
  const fault = whyNot(folder);
  if (fault !== null) {
    process.stderr.write(`${fault}\n`);
    return 2;
  }
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => stop.abort());
  }
  try {
    await develop(folder, { ...options, ...context, stop });
    return 0;
  } catch (error) {
    if (stop.signal.aborted) return 0;
    const reason = error instanceof Error ? error.message : String(error);
    const advice = error instanceof DataFolderFault ? "" : "\nWhat was said before may tell more.";
    process.stderr.write(`${reason}${advice}\n`);
    return 1;
  }
}

/** Why there is nothing to run; null: there is. */
function whyNot(folder: string): string | null {
  if (!existsSync(join(folder, "workflows")) && !existsSync(join(folder, "agents"))) {
    return `There is no folder workflows/ or agents/ in ${folder}: make one, or start with npm create holdfast.`;
  }
  if (process.features.typescript === false) {
    return `Node ${process.versions.node} does not run TypeScript as it is: use Node 22.18 or newer.`;
  }
  return null;
}

interface Development extends DevOptions, DevContext {
  readonly stop: AbortController;
}

async function develop(folder: string, { fresh, port, command, stop }: Development): Promise<void> {
  const from = performance.now();
  const { signal } = stop;
  const dataFolder = join(folder, ".holdfast/dev");
  const cacheFolder = join(folder, ".holdfast/compile-cache");
  await using stack = disposableStack();
  const shared = { folder, cacheFolder, say };
  const services = stack.use(prepareServices({ ...shared, port, operatorToken }));
  const loader = stack.use(openWorkflowLoader(shared));
  let brokerUrl = "";
  const agents = stack.use(
    openAgentProcesses({ ...shared, env: () => ({ BROKER_URL: brokerUrl }) }),
  );

  let stateStoreUrl = "";
  const servers = await startLocalStack({
    purpose: "demo",
    dataFolder,
    fresh,
    packageFolder: join(homedir(), ".cache/holdfast/rabbitmq-package"),
    log: say,
    onPostgres: async (url, isOurs) => {
      stateStoreUrl = await databaseOf(url, isOurs);
      await migrate(stateStoreUrl);
    },
  });
  // Stopped last: the services still write what they have begun.
  await using _servers = servers;
  await using parts = stack.move();
  signal.throwIfAborted();
  brokerUrl = servers.broker.url;
  const places = { stateStoreUrl, brokerUrl };
  const store = parts.use(
    await openStateStore({
      url: stateStoreUrl,
      applicationName: "holdfast dev",
      maxConnections: 2,
    }),
  );
  const sync = openWorkflowSync({ store, loader, folder, say });
  const files = findProjectFiles(folder);
  const starting = Promise.all(files.agents.map(agents.start));
  const [api] = await Promise.all([services.begin(places), sync.apply(files.workflows), starting]);
  signal.throwIfAborted();
  writePlaces(dataFolder, { api, operatorToken, ...places });

  const known = async () => {
    const announced = (await store.findKnownAgents()).map(
      ({ agent, operations }) => [agent, operations] as const,
    );
    return new Map([...announced, ...agents.operations()]);
  };
  banner({ api, brokerUrl, folder, sync, agents, ms: performance.now() - from }).forEach(say);
  sync.sayGaps(await known());
  const step = keepInStep({ folder, sync, agents, known, say });
  parts.use(watchProject(folder, step));
  const actions = openActions({
    api,
    folder,
    agents,
    workflow: () => sync.workflows[0] ?? null,
    command,
    env: { STATE_STORE_URL: stateStoreUrl, BROKER_URL: brokerUrl },
    signal,
    say,
  });
  const onKey = (key: string): void => {
    const act = actions[key];
    if (act === undefined) return;
    act().catch((error: unknown) => say(error instanceof Error ? error.message : String(error)));
  };
  using _keys = readKeys(process.stdin, { onKey, onStop: () => stop.abort() });
  await untilAborted(signal);
  say("stopping …");
}

/** Where commands find what runs here. */
function writePlaces(dataFolder: string, places: Readonly<Record<string, string>>): void {
  mkdirSync(dataFolder, { recursive: true });
  const file = join(dataFolder, "places.json");
  writeFileSync(file, `${JSON.stringify(places, null, 2)}\n`, { mode: 0o600 });
}

/** A database of our own on a server of our own; one that was given by its URL is used as it is. */
async function databaseOf(serverUrl: string, isOurs: boolean): Promise<string> {
  if (!isOurs) return serverUrl;
  const url = new URL(serverUrl);
  url.pathname = "/holdfast";
  await createDatabase(serverUrl, "holdfast").catch((error: { readonly code?: string }) => {
    if (error.code !== "42P04") throw error; // It is there from an earlier start.
  });
  return url.href;
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  // A signal that is waited for keeps no process alive.
  const alive = setInterval(() => {}, 60_000);
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  }
  clearInterval(alive);
}
