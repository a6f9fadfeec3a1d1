import { join } from "node:path";
import {
  createDatabase,
  type LocalStack,
  queryOnce,
  type RabbitmqCluster,
  startLocalStack,
  startPostgresPair,
  startRabbitmqCluster,
} from "@holdfast/local-stack";
import {
  jumpingClock,
  type LogLine,
  migrateWithStoreClock,
  type StoreClock,
  type System,
  startSystem,
} from "@holdfast/processes";
import { type Breakable, type KeptProcesses, startKeptProcesses } from "./kept-processes.ts";
import { chaosWorkflow } from "./workflow.ts";

/** The servers and the system on them: everything that can be broken. */
export interface Environment extends AsyncDisposable {
  readonly postgres: Pick<LocalStack["postgres"], "restart">;
  readonly broker: Omit<LocalStack["broker"], "provider" | "why">;
  /** The servers of a cluster; null: there is one server of each. */
  readonly cluster: ClusterServers | null;
  /** The clock of the store; null with several servers: its standby would have another. */
  readonly storeClock: StoreClock | null;
  readonly system: System;
  readonly processes: KeptProcesses;
  /** Asks the store itself, beside all links. */
  readonly query: <Row extends object>(sql: string) => Promise<readonly Row[]>;
}

/** A Postgres with a synchronous standby, and a RabbitMQ of three nodes. */
export interface ClusterServers {
  readonly rabbitmq: RabbitmqCluster;
  /** Kills the primary and promotes the standby. Resolves when that accepts writes. */
  failOver(): Promise<void>;
}

interface Servers extends AsyncDisposable {
  readonly postgres: Environment["postgres"];
  readonly broker: Environment["broker"];
  readonly cluster: ClusterServers | null;
  readonly storeClock: StoreClock | null;
  /** All servers of the store, and of the broker. */
  readonly stateStoreUrl: string;
  readonly brokerUrl: string;
  /** The server that has the store at the moment. */
  storeNow(): string;
}

interface EnvironmentOptions {
  readonly servers: "single" | "cluster";
  /** An empty folder for all that the servers keep. */
  readonly folder: string;
  readonly random: () => number;
  readonly partners: keyof typeof partnerSettings;
  readonly log: (line: string) => void;
  readonly onLog: (line: LogLine, service: string) => void;
}

const count: Readonly<Record<Breakable, number>> = {
  submission: 2,
  scheduler: 2,
  agent: 2,
  supervisor: 2,
};

const partnerSettings = {
  reliable: { LATENCY: "5ms" },
  /** Partners as they are: now and then unwell, and sometimes silent after the deed. */
  unreliable: { LATENCY: "5ms", ERROR_RATE: "0.02", APPLY_THEN_DROP_RATE: "0.02" },
} as const;

/** The wall clock of each process can be wrong for a while. */
const clocks = { NODE_OPTIONS: jumpingClock };

/** Starts everything. Disposing stops it, whatever state it is in. */
export async function startEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const { folder, random, partners, onLog } = options;
  await using stack = new AsyncDisposableStack();
  const start = options.servers === "cluster" ? startCluster : startSingle;
  const servers = stack.use(await start(options));
  const { postgres, broker, cluster, storeClock, stateStoreUrl } = servers;
  const system = stack.use(
    await startSystem({
      stateStoreUrl,
      broker: { ...broker, url: servers.brokerUrl },
      dataFolder: folder,
      workflows: [chaosWorkflow],
      count: { submission: 0, agent: 0, scheduler: 0, supervisor: 0 },
      env: {
        partners: partnerSettings[partners],
        submission: { DEFAULT_WORKFLOW: chaosWorkflow.name, ...clocks },
        scheduler: clocks,
        agent: clocks,
        supervisor: { SWEEP_INTERVAL: "5s", ...clocks },
      },
      onLog,
    }),
  );
  const processes = stack.use(await startKeptProcesses({ system, count, random }));
  const owned = stack.move();
  return {
    postgres,
    broker,
    cluster,
    storeClock,
    system,
    processes,
    query: (sql) => queryOnce(servers.storeNow(), sql),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

type ServerOptions = Pick<EnvironmentOptions, "folder" | "log">;

async function startSingle({ folder, log }: ServerOptions): Promise<Servers> {
  await using stack = new AsyncDisposableStack();
  const servers = stack.use(
    await startLocalStack({
      purpose: "demo",
      dataFolder: folder,
      fresh: true,
      management: true,
      log,
    }),
  );
  const { postgres, broker } = servers;
  for (const { provider } of [postgres, broker]) {
    if (provider === "url") throw new Error("Chaos breaks its servers: unset the URLs of yours.");
  }
  const { url } = await createDatabase(postgres.url, { name: "holdfast" });
  const storeClock = await migrateWithStoreClock(url);
  const owned = stack.move();
  return {
    postgres,
    broker,
    cluster: null,
    storeClock,
    stateStoreUrl: url,
    brokerUrl: broker.url,
    storeNow: () => url,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function startCluster({ folder, log }: ServerOptions): Promise<Servers> {
  await using stack = new AsyncDisposableStack();
  log("starting two Postgres and three RabbitMQ");
  const pair = stack.use(
    await startPostgresPair({ dataFolder: join(folder, "pair"), replication: "synchronous" }),
  );
  const rabbitmq = stack.use(
    await startRabbitmqCluster({ dataFolder: join(folder, "rabbitmq"), log }),
  );
  const { url: first } = await createDatabase(pair.primary.url, { name: "holdfast" });
  const [node] = rabbitmq.nodes;
  if (node === undefined) throw new Error("The cluster has no node.");
  let storeNow = first;
  const owned = stack.move();
  return {
    postgres: pair.primary,
    broker: {
      ...node,
      managementUrl: null,
      importDefinitions: (definitions) => rabbitmq.importDefinitions(definitions),
    },
    cluster: {
      rabbitmq,
      async failOver() {
        await pair.primary.kill();
        await pair.promote();
        storeNow = Object.assign(new URL(pair.standby.url), { pathname: "/holdfast" }).href;
      },
    },
    storeClock: null,
    stateStoreUrl: pair.urlOf("holdfast"),
    brokerUrl: rabbitmq.url,
    storeNow: () => storeNow,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
