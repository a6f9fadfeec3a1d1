import { createDatabase, type LocalStack, queryOnce, startLocalStack } from "@holdfast/local-stack";
import { type LogLine, type System, startSystem } from "@holdfast/local-system";
import { openStateStore } from "@holdfast/state-store";
import { type Breakable, type Fleet, startFleet } from "./fleet.ts";
import { chaosWorkflow } from "./workflow.ts";

/** The servers and the system on them: everything that can be broken. */
export interface Rig extends AsyncDisposable {
  readonly postgres: LocalStack["postgres"];
  readonly broker: LocalStack["broker"];
  readonly system: System;
  readonly fleet: Fleet;
  /** Asks the store itself, beside all links. */
  readonly query: <Row extends object>(sql: string) => Promise<readonly Row[]>;
}

interface RigOptions {
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
  /** As they are: now and then unwell, and sometimes silent after the deed. */
  unreliable: { LATENCY: "5ms", ERROR_RATE: "0.02", APPLY_THEN_DROP_RATE: "0.02" },
} as const;

/** Starts everything. Disposing stops it, whatever state it is in. */
export async function startRig(options: RigOptions): Promise<Rig> {
  const { folder, random, partners, log, onLog } = options;
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
  const { url: stateStoreUrl } = await createDatabase(postgres.url, "holdfast");
  const system = stack.use(
    await startSystem({
      stateStoreUrl,
      broker,
      dataFolder: folder,
      count: { submission: 0, agent: 0, scheduler: 0, supervisor: 0 },
      env: {
        partners: partnerSettings[partners],
        submission: { WORKFLOW: chaosWorkflow.name },
        supervisor: { SWEEP_INTERVAL: "5s" },
      },
      onLog,
    }),
  );
  await registerWorkflow(stateStoreUrl);
  const fleet = stack.use(await startFleet({ system, count, random }));
  const owned = stack.move();
  return {
    postgres,
    broker,
    system,
    fleet,
    query: (sql) => queryOnce(stateStoreUrl, sql),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function registerWorkflow(url: string): Promise<void> {
  await using store = await openStateStore({
    url,
    applicationName: "chaos",
    maxConnections: 1,
  });
  await store.registerWorkflow(chaosWorkflow);
}
