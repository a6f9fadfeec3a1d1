import type { WorkflowDefinition } from "@holdfast/domain";
import { processVariables } from "@holdfast/runtime";
import { migrate } from "@holdfast/state-store";
import { openStore } from "./open-store.ts";
import {
  environmentOf,
  type ServiceName,
  type StoreRole,
  type SystemPlaces,
} from "./service-environment.ts";
import { openShared, type SharedProcess } from "./shared/open-shared.ts";
import { type ShippedBroker, type SystemBroker, shipBroker } from "./ship-broker.ts";
import {
  type LaunchedProcess,
  type LaunchedService,
  launchService,
  type ServiceProcess,
  type StartOptions,
} from "./start-service.ts";

export interface SystemOptions extends Pick<StartOptions, "onLog" | "nodeOptions"> {
  /** An empty database, or one of an earlier run; the owner's URL. */
  readonly stateStoreUrl: string;
  readonly storeUrlOf?: (role: StoreRole) => string;
  /** Gets the users, rights and topology that Holdfast ships. */
  readonly broker: SystemBroker;
  /** The folder in which the partners keep their ledger; needless without partners. */
  readonly dataFolder?: string;
  /** How many processes of each service; one, where nothing is said, and none of operations. */
  readonly count?: Partial<Readonly<Record<ServiceName, number>>>;
  /** Further environment of each service. */
  readonly env?: Partial<Readonly<Record<ServiceName, Readonly<Record<string, string>>>>>;
  readonly ports?: SystemPlaces["ports"];
  /** Main files that run in place of the services' own, below the repository's root. */
  readonly programs?: Partial<Readonly<Record<ServiceName, string>>>;
  /** Stored before any service starts, in addition to what submission stores itself. */
  readonly workflows?: readonly WorkflowDefinition[];
  /** Optimisations that the services leave out. */
  readonly without?: readonly string[];
  /**
   * Services that are processes of their own: all, unless said otherwise. The others share one,
   * which starts in a fraction of the time. A service with a main file of its own or with faults of
   * a process is one, too.
   */
  readonly apart?: "all" | readonly ServiceName[];
  /**
   * The command within which services run that are processes of their own. The partners, which keep
   * a ledger, do not.
   */
  readonly within?: readonly string[];
}

/** The whole system, in processes of this machine. */
export interface System extends AsyncDisposable {
  /** The URL of a submission service that runs. */
  readonly submissionUrl: string;
  /** The URL of a process that runs at which operators act. */
  readonly operationsUrl: string;
  /** The URL of the partners; empty without any. */
  readonly partnersUrl: string;
  readonly broker: ShippedBroker;
  /** The processes that were started, those that have ended included. */
  readonly processes: readonly ServiceProcess[];
  /** Processes of one service that run. */
  running(name: ServiceName): readonly ServiceProcess[];
  /** The settings of a process of this service. */
  environmentOf(name: ServiceName): Readonly<Record<string, string>>;
  /** Starts one more process, which need not get ready. */
  launch(name: ServiceName, env?: Readonly<Record<string, string>>): LaunchedService;
  /** Starts one more process and waits until it is ready. */
  start(name: ServiceName, env?: Readonly<Record<string, string>>): Promise<ServiceProcess>;
}

const mains: Readonly<Record<ServiceName, string>> = {
  partners: "partners",
  submission: "submission",
  operations: "submission",
  scheduler: "scheduler",
  supervisor: "supervisor",
  agent: "agent",
};

/**
 * The order in which services are stopped: Agents and Schedulers can still finish what they have
 * begun, and Schedulers read what a Supervisor has asked them.
 */
const names: readonly ServiceName[] = [
  "supervisor",
  "agent",
  "scheduler",
  "submission",
  "operations",
  "partners",
];

/**
 * Migrates the store, then starts the partners and after them all services together. Disposing
 * stops them in order.
 */
export async function startSystem(options: SystemOptions): Promise<System> {
  const { dataFolder = "", count = {}, ports = {}, without = [] } = options;
  const [broker] = await Promise.all([shipBroker(options.broker), prepareStore(options)]);
  await using stack = new AsyncDisposableStack();
  const ownWorkflow = options.env?.submission?.["DEFAULT_WORKFLOW"] !== undefined;
  const places = { ...options, broker, dataFolder, ports, without, ownWorkflow, partnersUrl: "" };
  const starter = openStarter(options, (name) => environmentOf(name, places));
  stack.defer(() => starter.stop());

  const countOf = (name: ServiceName) => count[name] ?? (name === "operations" ? 0 : 1);
  for (let left = countOf("partners"); left > 0; left -= 1) {
    places.partnersUrl = urlOf(await starter.start("partners"));
  }
  await Promise.all(
    names
      .filter((name) => name !== "partners")
      .flatMap((name) => Array.from({ length: countOf(name) }, () => starter.start(name))),
  );
  const { processes, launch, start } = starter;
  const running = (name: ServiceName) =>
    processes.filter((one) => one.name === name && one.isRunning);
  const urlOfOne = (name: ServiceName): string => {
    const [one] = running(name);
    if (one === undefined) throw new Error(`No ${name} is running.`);
    return urlOf(one);
  };
  const owned = stack.move();
  return {
    get submissionUrl() {
      return urlOfOne("submission");
    },
    get operationsUrl() {
      return urlOfOne("operations");
    },
    partnersUrl: places.partnersUrl,
    broker,
    processes,
    environmentOf: (name) => environmentOf(name, places),
    running,
    launch,
    start,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function prepareStore({ stateStoreUrl: url, workflows = [] }: SystemOptions): Promise<void> {
  await migrate(url);
  if (workflows.length === 0) return;
  await using store = await openStore({ url, applicationName: "start-up", maxConnections: 1 });
  for (const workflow of workflows) await store.registerWorkflow(workflow);
}

type Started = Pick<System, "launch" | "start" | "processes">;

/** Starts processes and keeps account of them. */
function openStarter(
  { env = {}, programs = {}, onLog, nodeOptions = [], apart = "all", within = [] }: SystemOptions,
  settingsOf: System["environmentOf"],
): Started & { stop(): Promise<void> } {
  const launched: LaunchedProcess[] = [];
  const processes: ServiceProcess[] = [];
  let shared: SharedProcess | null = null;
  const launch: System["launch"] = (name, more = {}) => {
    const options = {
      service: programs[name] ?? mains[name],
      name,
      env: { ...settingsOf(name), ...env[name], ...more },
      ...(onLog === undefined ? {} : { onLog }),
      nodeOptions,
      within: name === "partners" ? [] : within,
    };
    const isApart =
      apart === "all" ||
      apart.includes(name) ||
      programs[name] !== undefined ||
      nodeOptions.length > 0 ||
      processVariables(options.env).length > 0;
    if (!isApart) shared ??= openShared();
    const service = isApart || shared === null ? launchService(options) : shared.launch(options);
    launched.push(service.process);
    return service;
  };
  return {
    processes,
    launch,
    async start(name, more) {
      const { process, ready } = launch(name, more);
      const service = Object.assign(process, { ready: await ready });
      processes.push(service);
      return service;
    },
    async stop() {
      for (const name of names) {
        const own = launched.filter((one) => one.name === name);
        await Promise.all(own.map((one) => one[Symbol.asyncDispose]()));
      }
      await shared?.[Symbol.asyncDispose]();
    },
  };
}

const urlOf = ({ ready }: ServiceProcess): string => String(ready["url"]);
