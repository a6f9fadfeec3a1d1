import { migrate } from "@holdfast/state-store";
import { asRole } from "./as-role.ts";
import { type ShippedBroker, type SystemBroker, shipBroker } from "./ship-broker.ts";
import {
  type LaunchedProcess,
  type LaunchedService,
  type LogLine,
  launchService,
  type ServiceProcess,
} from "./start-service.ts";

/** The services of the reference application. */
export type ServiceName =
  | "partners"
  | "submission"
  | "operations"
  | "scheduler"
  | "supervisor"
  | "agent";

export interface SystemOptions {
  /** An empty database, or one of an earlier run; the owner's URL. */
  readonly stateStoreUrl: string;
  /** Gets the users, rights and topology that Holdfast ships. */
  readonly broker: SystemBroker;
  /** Where the partners keep their ledger. */
  readonly dataFolder: string;
  /** How many processes of each service; one, where nothing is said, and none of operations. */
  readonly count?: Partial<Readonly<Record<ServiceName, number>>>;
  /** Further environment of each service. */
  readonly env?: Partial<Readonly<Record<ServiceName, Readonly<Record<string, string>>>>>;
  readonly ports?: {
    readonly submission?: number;
    readonly operations?: number;
    readonly partners?: number;
  };
  readonly onLog?: (line: LogLine, service: string, pid: number) => void;
}

/** The whole system, each service a process of its own. */
export interface System extends AsyncDisposable {
  /** Of one that runs. */
  readonly submissionUrl: string;
  /** Where operators act, of a process that runs. */
  readonly operationsUrl: string;
  readonly partnersUrl: string;
  readonly broker: ShippedBroker;
  /** The processes that were started, those that have ended included. */
  readonly processes: readonly ServiceProcess[];
  /** Those of one service that run. */
  running(name: ServiceName): readonly ServiceProcess[];
  /** What a process of this service is told. */
  environmentOf(name: ServiceName): Readonly<Record<string, string>>;
  /** One more, which need not get ready. */
  launch(name: ServiceName, env?: Readonly<Record<string, string>>): LaunchedService;
  /** One more. */
  start(name: ServiceName, env?: Readonly<Record<string, string>>): Promise<ServiceProcess>;
}

/** What operators of a local system show; it is no secret. */
export const operatorToken = "local-operator";

const roleOf: Partial<Record<ServiceName, string>> = {
  submission: "holdfast_submission",
  operations: "holdfast_operations",
  scheduler: "holdfast_scheduler",
  supervisor: "holdfast_supervisor",
};

/** Migrates the store, then starts the partners and after them all services together. Disposing stops them in order. */
export async function startSystem(options: SystemOptions): Promise<System> {
  const { stateStoreUrl, dataFolder, count = {}, env = {}, ports = {}, onLog } = options;
  const [broker] = await Promise.all([shipBroker(options.broker), migrate(stateStoreUrl)]);
  await using stack = new AsyncDisposableStack();
  const launched: LaunchedProcess[] = [];
  const processes: ServiceProcess[] = [];
  const urls = { partners: "" };

  const environmentOf = (name: ServiceName): Readonly<Record<string, string>> => {
    const role = roleOf[name];
    const store = role === undefined ? {} : { STATE_STORE_URL: asRole(stateStoreUrl, role) };
    switch (name) {
      case "partners":
        return {
          HTTP_HOST: "127.0.0.1",
          HTTP_PORT: String(ports.partners ?? 0),
          DATA_FOLDER: dataFolder,
        };
      case "submission":
        return {
          ...store,
          BROKER_URL: broker.urlOf(name),
          BROKER_TOPOLOGY: broker.topology,
          HTTP_HOST: "127.0.0.1",
          HTTP_PORT: String(ports.submission ?? 0),
          DUTY: "orders",
        };
      case "operations":
        return {
          ...store,
          BROKER_URL: broker.urlOf(name),
          BROKER_TOPOLOGY: broker.topology,
          HTTP_HOST: "127.0.0.1",
          HTTP_PORT: String(ports.operations ?? 0),
          DUTY: "operations",
          OPERATOR_TOKEN: operatorToken,
        };
      case "agent":
        return {
          BROKER_URL: broker.urlOf(name),
          BROKER_TOPOLOGY: broker.topology,
          SCHEDULER_USERS: broker.userOf("scheduler"),
          PARTNERS_URL: urls.partners,
        };
      case "scheduler":
        return { ...store, BROKER_URL: broker.urlOf(name), BROKER_TOPOLOGY: broker.topology };
      case "supervisor":
        return { ...store, BROKER_URL: broker.urlOf(name) };
    }
  };

  const launch: System["launch"] = (name, more = {}) => {
    const service = launchService({
      service: name === "operations" ? "submission" : name,
      name,
      env: { ...environmentOf(name), ...env[name], ...more },
      ...(onLog === undefined ? {} : { onLog }),
    });
    launched.push(service.process);
    return service;
  };
  const start: System["start"] = async (name, more) => {
    const { process, ready } = launch(name, more);
    const service = Object.assign(process, { ready: await ready });
    processes.push(service);
    return service;
  };
  stack.defer(async () => {
    // The Schedulers and Agents first: what they have in hand, they can still finish.
    const order: readonly string[] = [
      "agent",
      "scheduler",
      "supervisor",
      "submission",
      "operations",
      "partners",
    ];
    for (const name of order) {
      await Promise.all(
        launched.filter((one) => one.name === name).map((one) => one[Symbol.asyncDispose]()),
      );
    }
  });

  urls.partners = urlOf(await start("partners"));
  await Promise.all(
    (["submission", "operations", "agent", "scheduler", "supervisor"] as const).flatMap((name) =>
      Array.from({ length: count[name] ?? (name === "operations" ? 0 : 1) }, () => start(name)),
    ),
  );
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
    partnersUrl: urls.partners,
    broker,
    processes,
    environmentOf,
    running,
    launch,
    start,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const urlOf = ({ ready }: ServiceProcess): string => String(ready["url"]);
