import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { ReadStream } from "node:tty";
import { errorText } from "@holdfast/domain";
import { type DisposableStack, disposableStack } from "@holdfast/runtime/disposable-stack";
import { type AgentProcesses, openAgentProcesses } from "./agents/agent-processes.ts";
import type { Begun } from "./begin-project.ts";
import { openActions } from "./keys/actions.ts";
import { sampleInput } from "./keys/sample-input.ts";
import { keepInStep } from "./project/keep-in-step.ts";
import { openWorkflowLoader } from "./project/load-workflows.ts";
import type { WorkflowSync } from "./project/sync-project.ts";
import { type Project, projectOf } from "./services/claim-servers.ts";
import { type LocalPeople, makePeople } from "./services/local-people.ts";
import { startServers } from "./services/start-servers.ts";
import { loadServices, type Places } from "./services/start-services.ts";

export interface Development {
  readonly folder: string;
  readonly fresh: boolean;
  /** Whether it takes servers that another installation has used. */
  readonly takesOver: boolean;
  /** The first port to try for the API. */
  readonly port: number;
  /** The command that runs `holdfast`. */
  readonly command: readonly string[];
  readonly stop: AbortController;
  readonly say: (line: string) => void;
}

/** A web page that reaches this machine's ports knows every token that stands in a repository. */
const newToken = (): string => randomBytes(18).toString("base64url");

/**
 * Starts everything, and keeps it in step with the files until `stop` aborts. Everything has ended
 * then.
 */
export async function develop(options: Development): Promise<void> {
  const from = performance.now();
  const { folder, fresh, command, say, stop } = options;
  const { signal } = stop;
  const operatorToken = process.env["OPERATOR_TOKEN"] || newToken();
  const [dataFolder, owner] = [join(folder, ".holdfast/dev"), ownerOf(options)];
  const people = process.env["ACCESS_FILE"] ? null : makePeople(dataFolder);
  const { keys = {}, accessFile = null } = people ?? {};
  const allRuns = Promise.withResolvers<void>();
  await using prepared = disposableStack();
  let brokerUrl = "";
  // RabbitMQ takes longest, so it has the processors first.
  const brokerLoaded = Promise.withResolvers<void>();
  const env = () => ({ BROKER_URL: brokerUrl });
  const forParts = { ...options, operatorToken, accessFile, env, calm: allRuns.promise };
  const parts = brokerLoaded.promise.then(() => openParts(prepared, forParts));
  const brokerUp = Promise.withResolvers<void>();
  const begin = async (places: Places): Promise<Begun> => {
    ({ brokerUrl } = places);
    const prepares = await parts;
    const { beginProject } = await import("./begin-project.ts");
    const more = { stack: prepared, brokerUp: brokerUp.promise, folder, say, owner };
    return beginProject(places, { ...prepares, ...more });
  };
  const begun = Promise.withResolvers<Begun>();
  // A server that does not start is the first fault, and ends everything.
  for (const one of [begun.promise, parts]) one.catch(() => {});
  const onPlaces = (places: Places) => begun.resolve(begin(places));
  const loading = { onPlaces, onBrokerLoaded: brokerLoaded.resolve };
  await using servers = await startServers({ dataFolder, owner, fresh, say, ...loading });
  brokerUp.resolve();
  brokerLoaded.resolve();
  // Released before the servers: what was begun is still written.
  await using _begun = { [Symbol.asyncDispose]: () => prepared.disposeAsync() };
  signal.throwIfAborted();
  const { agents, loader } = await parts;
  const { api, known, sync, watch } = await begun.promise;
  allRuns.resolve();
  signal.throwIfAborted();
  writePlaces(dataFolder, { ...placesOf(servers), api, operatorToken, keys });
  const ms = performance.now() - from;
  for (const line of banner({ api, operatorToken, keys, brokerUrl, folder, sync, agents, ms }))
    say(line);
  sync.sayGaps(await known());
  prepared.use(watch(keepInStep({ ...options, sync, loader, agents, known })));
  const actions = openActions({
    api,
    folder,
    agents,
    clock: servers.clock,
    command,
    signal,
    say,
    workflow: () => sync.workflows[0] ?? null,
    env: { STATE_STORE_URL: servers.stateStoreUrl, BROKER_URL: brokerUrl },
  });
  using _keys = readKeys(process.stdin, {
    onKey: (key) => void actions[key]?.().catch((error: unknown) => say(errorText(error))),
    onStop: () => stop.abort(),
  });
  await untilAborted(signal);
  say("stopping …");
}

const ownerOf = ({ folder, takesOver }: Development): Project => ({
  project: projectOf(join(folder, ".holdfast/project")),
  takesOver,
});

interface ForParts extends Development {
  readonly operatorToken: string;
  readonly accessFile: string | null;
  /** The environment of Agents. */
  readonly env: () => Readonly<Record<string, string>>;
  /** Resolves once everything runs. */
  readonly calm: Promise<void>;
}

/**
 * The services in this process. What loads the project's files has other processes, which begin
 * beside it.
 */
async function openParts(stack: DisposableStack, options: ForParts) {
  const shared = { ...options, cacheFolder: join(options.folder, ".holdfast/compile-cache") };
  const loader = stack.use(openWorkflowLoader(shared));
  const agents = stack.use(openAgentProcesses(shared));
  const services = stack.use(await loadServices(options));
  return { services, loader, agents };
}

const placesOf = ({ stateStoreUrl, brokerUrl }: Places): Places => ({ stateStoreUrl, brokerUrl });

/** Writes down where other commands find what runs here. */
function writePlaces(
  dataFolder: string,
  places: Places & Pick<Shown, "api" | "operatorToken" | "keys">,
): void {
  const file = join(dataFolder, "places.json");
  writeFileSync(file, `${JSON.stringify(places, null, 2)}\n`, { mode: 0o600 });
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  // A signal that is waited for keeps no process alive.
  const alive = setInterval(() => {}, 60_000);
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  }
  clearInterval(alive);
}

interface Shown {
  readonly api: string;
  readonly operatorToken: string;
  /** The keys of people, by their ids. */
  readonly keys: LocalPeople["keys"];
  readonly brokerUrl: string;
  readonly folder: string;
  readonly sync: Pick<WorkflowSync, "workflows">;
  readonly agents: Pick<AgentProcesses, "operations">;
  /** Milliseconds since the start. */
  readonly ms: number;
}

/** What is shown once everything runs: where it is, what runs, and the next command. */
function banner({
  api,
  operatorToken,
  keys,
  brokerUrl,
  folder,
  sync,
  agents,
  ms,
}: Shown): readonly string[] {
  const next = nextCommand(sync.workflows[0], { api, folder });
  return [
    "",
    `ready in ${(ms / 1_000).toFixed(1)} s`,
    `  API   ${api}`,
    `  look  ${consoleLink(api, operatorToken)}`,
    `  token ${operatorToken}   of operators, new at each start: export HOLDFAST_TOKEN=${operatorToken}`,
    ...Object.entries(keys).map(
      ([id, key]) => `  key   ${key}   of ${id}, who decides what waits for people`,
    ),
    `  AMQP  ${brokerUrl}   for Agents in other languages`,
    ...sync.workflows.map(
      ({ family, name, file }) => `  workflow ${family} is ${name}   ${relative(folder, file)}`,
    ),
    ...[...agents.operations()].map(
      ([agent, operations]) => `  Agent ${agent}: ${operations.join(", ")}`,
    ),
    "",
    "next:",
    `  ${next}`,
    "keys: s submit the sample   k kill the Agent in mid-step   d decline   w why   t clock + 1 h   Ctrl-C stop",
    "",
  ];
}

/** What to do next: submit a sample of the workflow that was saved last. */
function nextCommand(
  workflow: WorkflowSync["workflows"][number] | undefined,
  { api, folder }: Pick<Shown, "api" | "folder">,
): string {
  if (workflow === undefined) return "save a workflow in workflows/";
  const sample = sampleInput(folder, workflow.definition);
  if ("reason" in sample) return sample.reason;
  const body = JSON.stringify({ workflow: workflow.family, input: sample.input });
  const quoted = body.replaceAll("'", String.raw`'\''`);
  return `curl ${api}/v1/tasks -H 'content-type: application/json' -d '${quoted}'`;
}

/** The console, signed in: what follows # is not sent, and the page takes it out of its address. */
const consoleLink = (api: string, token: string): string => `${api}/console/#token=${token}`;

const interrupt = "\u0003";
const endOfInput = "\u0004";

/**
 * Calls back with each key that is pressed, and with Ctrl-C. On a terminal keys arrive as they are
 * pressed; from a pipe they are read as well, so that a script can press them.
 */
function readKeys(
  input: NodeJS.ReadStream | ReadStream,
  { onKey, onStop }: { readonly onKey: (key: string) => void; readonly onStop: () => void },
): Disposable {
  const read = (text: string): void => {
    for (const key of text) {
      if (key === interrupt || key === endOfInput) onStop();
      else if (key.trim() !== "") onKey(key);
    }
  };
  if (input.isTTY) input.setRawMode(true);
  input.setEncoding("utf8").on("data", read);
  input.unref();
  return {
    [Symbol.dispose]() {
      input.off("data", read);
      if (input.isTTY) input.setRawMode(false);
      input.pause();
    },
  };
}
